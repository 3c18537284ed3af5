/** The order of cutting: what is cut first, from which end, and where nothing is cut twice. Pure. */
export { cuttingOrder } from './order.ts';
export type { Ordered } from './order.ts';
