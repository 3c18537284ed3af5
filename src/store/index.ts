export { openStore, StoreError } from './store.ts';
export type { Store, StoreErrorCode, StoreOptions } from './store.ts';
export { binaryTable, prefix, put, recordTable, remove } from './tables.ts';
export type { Decision, Key, Range, Reader, Row, Table, Write } from './tables.ts';
