/** A session without a line: each question is answered by the script, and remembered. */
import { parseCutterAddress, type Session } from '../../src/datalink/index.ts';

type Questions = Omit<Session, 'address' | 'isStreaming' | 'close'>;
type Answered<Name extends keyof Questions> = Awaited<ReturnType<Questions[Name]>>;
export type Script = { [Name in keyof Questions]?: () => Answered<Name> | Promise<Answered<Name>> };

export interface ScriptedSession {
  readonly session: Session;
  /** The questions in the order they came. */
  readonly asked: string[];
  /** Job lists as they were offered. */
  readonly lists: (readonly string[])[];
}

/** What the script leaves out is answered as by an FC9000 that stands idle and accepts everything. */
export function scriptedSession(script: Script = {}): ScriptedSession {
  const asked: string[] = [];
  const lists: (readonly string[])[] = [];
  const parsed = parseCutterAddress('127.0.0.1:9100');
  if (!parsed.ok) throw new Error(parsed.failure.detail);
  const ask = async <T>(name: string, answer: () => T | Promise<T>): Promise<T> => {
    asked.push(name);
    return answer();
  };
  const session: Session = {
    address: parsed.address,
    isStreaming: () => false,
    status: () => ask('status', script.status ?? (() => ({ ok: true, status: 0 }))),
    linkInfo: () => ask('linkInfo', script.linkInfo ?? (() => ({ ok: true, linkInfo: 'F00000001' }))),
    offerJobs(names) {
      lists.push(names);
      return ask('offerJobs', script.offerJobs ?? (() => ({ ok: true, result: 0 })));
    },
    selectedIndex: () => ask('selectedIndex', script.selectedIndex ?? (() => ({ ok: true, index: 0 }))),
    setVector: () => ask('setVector', script.setVector ?? (() => ({ ok: true, result: 0 }))),
    setCommandType: () => ask('setCommandType', script.setCommandType ?? (() => ({ ok: true, result: 0 }))),
    sendJob: () => ask('sendJob', script.sendJob ?? (() => ({ ok: false, failure: { code: 'EMPTY_JOB', detail: 'no script' } }))),
    model: () => ask('model', script.model ?? (() => ({ ok: true, model: 'FC9000-140', firmware: '1.00' }))),
    stepSizeMm: () => ask('stepSizeMm', script.stepSizeMm ?? (() => ({ ok: true, stepSizeMm: 0.1 }))),
    commandSetting: () => ask('commandSetting', script.commandSetting ?? (() => ({ ok: true, commandSetting: 'GP-GL' }))),
    close: () => Promise.resolve(),
  };
  return { session, asked, lists };
}
