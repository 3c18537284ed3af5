import Type, { type Static } from 'typebox';

const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** A file as the file system knows it: another file in its place differs in one of these. Numbers past 2^53 stay text. */
export const FileIdentity = Type.Object({
  dev: Type.String(),
  ino: Type.String(),
  size: Type.Integer(),
  mtime_ns: Type.String(),
});

export const NamedFile = Type.Object({ name: Type.String(), identity: FileIdentity });

export const FolderFailure = Type.Object({ code: Type.String(), message: Type.String(), at: Type.Number() });

/** What became of a file: decided before it leaves, so that it leaves only once. */
export const WorkResult = Type.Union([
  Type.Object({
    outcome: Type.Literal('done'),
    job_id: Type.String(),
    job_name: Type.String(),
    link_info: Type.String(),
    /** Name in the outbox; null where the folder has none. */
    output: nullable(Type.String()),
    at: Type.Number(),
  }),
  Type.Object({
    outcome: Type.Literal('refused'),
    code: Type.String(),
    detail: Type.String(),
    at: Type.Number(),
    /** Where a picture of the page can be had for an hour. */
    preview: Type.Optional(Type.Object({ svg: Type.String(), png: Type.String() })),
  }),
]);

/** The file in hand. It is on disk before the file is moved, and is forgotten after the file has left. */
export const Work = Type.Object({
  /** Names the file's folder inside the claim folder, its job's key and its temporary files. */
  claim_id: Type.String(),
  file: NamedFile,
  sidecars: Type.Array(NamedFile),
  /** Absolute: where the file was found, and where it is while it is in hand. Settings may change in between. */
  source_dir: Type.String(),
  claim_dir: Type.String(),
  from: Type.Union([Type.Literal('inbox'), Type.Literal('errors')]),
  /** Of the bytes in hand, hexadecimal; null until the file is claimed. */
  sha256: nullable(Type.String()),
  result: nullable(WorkResult),
});

export const HotFolderContext = Type.Object({
  /** The actor's own id: `ingest`, `print_prepare`. */
  folder: Type.String(),
  is_enabled: Type.Boolean(),
  work: nullable(Work),
  /** Files of the error folder that someone wants tried again, in the order of asking. */
  retries: Type.Array(Type.String()),
  processed_count: Type.Integer(),
  error_count: Type.Integer(),
  last_error: nullable(FolderFailure),
  last_processed: nullable(Type.Object({ file: Type.String(), at: Type.Number() })),
  /** Why the file in hand cannot go on for now: a full disk, a folder that is gone. */
  held: nullable(Type.Object({ ...FolderFailure.properties, phase: Type.Union([Type.Literal('claiming'), Type.Literal('processing'), Type.Literal('leaving')]) })),
});

export type FileIdentity = Static<typeof FileIdentity>;
export type NamedFile = Static<typeof NamedFile>;
export type FolderFailure = Static<typeof FolderFailure>;
export type WorkResult = Static<typeof WorkResult>;
export type Work = Static<typeof Work>;
export type HotFolderContext = Static<typeof HotFolderContext>;
