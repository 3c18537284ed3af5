export { createJobLibrary, largestMarkedPdfBytes, readCommandSequence, type JobLibrary, type JobLibraryOptions, type JobPage, type LastHandOff, type NewJob } from './library.ts';
export type { ReservedLinkInfo } from './link-info.ts';
export { isJobName, jobNameFromFile, maxJobNameLength } from './name.ts';
export { jobTables, type JobGeometry, type JobRecord, type JobSheet, type JobSource, type NamedJob, type RegistrationVector, type SheetRect } from './records.ts';
