export type Headers = Readonly<Record<string, string>>;

export interface PlainAnswer {
  readonly status: number;
  readonly headers?: Headers;
  readonly body?: string | Uint8Array;
}
