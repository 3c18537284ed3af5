import { sizeOf, type ToWorker } from './worker-messages.ts';

export interface WaitingLimits {
  /** Files and pictures together. */
  readonly waitingLimit: number;
  /** Pictures are looked at, and a sheet is waited for. */
  readonly waitingPicturesLimit: number;
  /** What the waiting files may hold of memory together; one file may always wait. */
  readonly waitingBytesLimit: number;
}

/** What waits for the worker: files in the order they came, and pictures behind them all. */
export class WaitingLine<Task extends { readonly message: ToWorker }> {
  readonly #limits: WaitingLimits;
  #tasks: Task[] = [];

  constructor(limits: WaitingLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#tasks.length;
  }

  hasRoomFor(added: ToWorker): boolean {
    const { waitingLimit, waitingPicturesLimit, waitingBytesLimit } = this.#limits;
    if (added.kind === 'picture' && this.#tasks.filter(isPicture).length >= waitingPicturesLimit) return false;
    const bytes = this.#tasks.reduce((total, task) => total + sizeOf(task.message), sizeOf(added));
    return this.#tasks.length < waitingLimit && (this.#tasks.length === 0 || bytes <= waitingBytesLimit);
  }

  add(task: Task): void {
    const firstPicture = isPicture(task) ? -1 : this.#tasks.findIndex(isPicture);
    this.#tasks.splice(firstPicture === -1 ? this.#tasks.length : firstPicture, 0, task);
  }

  /** For a second try: it has waited already. */
  addFirst(task: Task): void {
    this.#tasks.unshift(task);
  }

  next(): Task | undefined {
    return this.#tasks.shift();
  }

  /** Whether it was here. */
  remove(task: Task): boolean {
    const at = this.#tasks.indexOf(task);
    if (at === -1) return false;
    this.#tasks.splice(at, 1);
    return true;
  }

  removeAll(): readonly Task[] {
    const all = this.#tasks;
    this.#tasks = [];
    return all;
  }
}

function isPicture({ message }: { readonly message: ToWorker }): boolean {
  return message.kind === 'picture';
}
