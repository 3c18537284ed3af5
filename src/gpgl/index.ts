/** The cutter's language, GP-GL: written, read back, measured. Pure. */
export { ETX, stepSizes, toSteps } from './units.ts';
export type { BoundsMm, MarkBlock, StepsPerMm, Tool, ToolPath } from './units.ts';
export { defaultPairsPerDraw, defaultPens, encodeJob } from './encode.ts';
export type { JobToEncode, PenOfTool } from './encode.ts';
export { conditionCommands, conditionRanges } from './conditions.ts';
export type { ToolCondition, ToolConditions } from './conditions.ts';
export { PathsWriter, concatenated, pathAt, selectedPaths, toolPathsOf } from './paths.ts';
export type { ToolPaths } from './paths.ts';
export { eachCommand } from './parse.ts';
export type { GpglFailure, GpglFailureCode } from './parse.ts';
export { boundsMm, cutLengthMm, readGeometry, segmentCount, strokePointsMm, travelLengthMm } from './geometry.ts';
export type { CutSpeed, Geometry, StrokeCondition, Strokes } from './geometry.ts';
export { defaultMotion, estimateSeconds } from './estimate.ts';
export type { MotionModel } from './estimate.ts';
export { previewCommands } from './preview.ts';
