// Loaded into the service (NODE_OPTIONS=--import) by the benchmark: from a status of 2 being read off its socket to the
// job list being given to the kernel. Written to the file named in KERF_PROBE_FILE when the service ends.
import { writeFileSync } from 'node:fs';
import net from 'node:net';

const asked = new WeakSet();
const times = [];
let readAt = Number.NaN;
const { push, write } = net.Socket.prototype;

net.Socket.prototype.push = function (piece, ...rest) {
  if (asked.has(this) && Buffer.isBuffer(piece) && piece.toString('latin1') === '2\x03') readAt = performance.now();
  return push.call(this, piece, ...rest);
};
net.Socket.prototype.write = function (payload, ...rest) {
  const written = write.call(this, payload, ...rest);
  const text = Buffer.isBuffer(payload) ? payload.toString('latin1', 0, 4) : '';
  if (text === '\x1b.d1') asked.add(this);
  if (text === '\x1b.d3') times.push(performance.now() - readAt);
  return written;
};
process.once('exit', () => writeFileSync(process.env.KERF_PROBE_FILE, JSON.stringify(times)));
