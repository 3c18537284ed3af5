/** The face of the room: addresses of cutters, the frames of the Data Link, and one session over TCP or a serial line. */
export { parseCutterAddress, formatCutterAddress, type AddressFailure, type AddressResult, type CutterAddress, type SerialAddress, type TcpAddress } from './address.ts';
export type { Clock } from './clock.ts';
export type * from './failures.ts';
export {
  encodeCommandSettingQuery, encodeCommandType, encodeJobList, encodeLinkInfoQuery, encodeModelQuery, encodeSelectionQuery,
  encodeStatusQuery, encodeStepSizeQuery, encodeVector, findByteUnsafeForSerial, maxJobNameLength, maxOfferedJobs,
  type CommandType, type RegistrationVector,
} from './frames.ts';
export type { Note, NoteKind, NoteListener } from './notes.ts';
export {
  parseCommandSetting, parseLinkInfo, parseModel, parseResult, parseSelection, parseStatus, parseStepSize, readReply,
  type CommandSetting, type CutterModel, type Parsed, type ReplyParser, type StepSizeMm,
} from './replies.ts';
export { createSession, type CallOptions, type SendJobOptions, type Session, type SessionOptions } from './session.ts';
