/** The order of cutting: what is cut first, from which end, and where nothing is cut twice. Pure. */
export { cuttingOrder, defaultOrderOptions, nearestFirstOrder, travelMm } from './order.ts';
export type { Ordered, OrderOptions } from './order.ts';
