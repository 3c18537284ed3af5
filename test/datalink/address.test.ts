import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatCutterAddress, parseCutterAddress } from '../../src/datalink/index.ts';

const serial = { transport: 'serial', path: '/dev/ttyUSB0', baudRate: 9600, baudRateGiven: false, rtscts: true, xonxoff: false, dataBits: 8, parity: 'none', stopBits: 1 };

describe('the address of a cutter', () => {
  const good: [string, object][] = [
    ['tcp://192.168.1.50:9101', { transport: 'tcp', host: '192.168.1.50', port: 9101 }],
    ['tcp://cutter-1.shop.local', { transport: 'tcp', host: 'cutter-1.shop.local', port: 9100 }],
    ['TCP://cutter/', { transport: 'tcp', host: 'cutter', port: 9100 }],
    ['cutter', { transport: 'tcp', host: 'cutter', port: 9100 }],
    ['  10.0.0.7:9200 ', { transport: 'tcp', host: '10.0.0.7', port: 9200 }],
    ['tcp://[fe80::1%eth0]:9100', { transport: 'tcp', host: 'fe80::1%eth0', port: 9100 }],
    ['[::1]', { transport: 'tcp', host: '::1', port: 9100 }],
    ['serial:///dev/ttyUSB0', serial],
    ['serial:///dev/serial/by-id/usb-FTDI%20x-port0?baudRate=115200&rtscts=false', { ...serial, path: '/dev/serial/by-id/usb-FTDI x-port0', baudRate: 115200, baudRateGiven: true, rtscts: false }],
    ['serial:///dev/ttyS1?xonxoff=true&dataBits=7&parity=even&stopBits=2', { ...serial, path: '/dev/ttyS1', xonxoff: true, dataBits: 7, parity: 'even', stopBits: 2 }],
  ];
  for (const [text, address] of good) it(`is understood: ${text.trim()}`, () => assert.deepEqual(parseCutterAddress(text), { ok: true, address }));

  const bad: [string, string][] = [
    ['', 'ADDRESS_EMPTY'],
    ['   ', 'ADDRESS_EMPTY'],
    ['http://cutter', 'ADDRESS_SCHEME_UNKNOWN'],
    ['tcp://', 'ADDRESS_HOST_INVALID'],
    [':9100', 'ADDRESS_HOST_INVALID'],
    ['two words', 'ADDRESS_HOST_INVALID'],
    ['192.168.1.500', 'ADDRESS_HOST_INVALID'],
    ['10.1', 'ADDRESS_HOST_INVALID'],
    ['-cutter', 'ADDRESS_HOST_INVALID'],
    ['[fe80::1', 'ADDRESS_HOST_INVALID'],
    ['fe80::1', 'ADDRESS_HOST_INVALID'],
    ['user@cutter', 'ADDRESS_HOST_INVALID'],
    ['cutter:0', 'ADDRESS_PORT_INVALID'],
    ['cutter:65536', 'ADDRESS_PORT_INVALID'],
    ['cutter:', 'ADDRESS_PORT_INVALID'],
    ['cutter:91x', 'ADDRESS_PORT_INVALID'],
    ['serial://dev/ttyUSB0', 'ADDRESS_PATH_INVALID'],
    ['serial:///', 'ADDRESS_PATH_INVALID'],
    ['serial:///dev/%zz', 'ADDRESS_PATH_INVALID'],
    ['serial:///dev/tty%00', 'ADDRESS_PATH_INVALID'],
    ['serial:///dev/ttyS0?baudrate=9600', 'ADDRESS_PARAMETER_UNKNOWN'],
    ['serial:///dev/ttyS0?baudRate=fast', 'ADDRESS_PARAMETER_INVALID'],
    ['serial:///dev/ttyS0?baudRate=9600&baudRate=9600', 'ADDRESS_PARAMETER_INVALID'],
    ['serial:///dev/ttyS0?rtscts=1', 'ADDRESS_PARAMETER_INVALID'],
    ['serial:///dev/ttyS0?dataBits=9', 'ADDRESS_PARAMETER_INVALID'],
    ['serial:///dev/ttyS0?parity=mark', 'ADDRESS_PARAMETER_INVALID'],
    ['serial:///dev/ttyS0?stopBits=1.5', 'ADDRESS_PARAMETER_INVALID'],
  ];
  for (const [text, code] of bad) {
    it(`is refused: "${text}"`, () => {
      const result = parseCutterAddress(text);
      assert.ok(!result.ok);
      assert.equal(result.failure.code, code);
      assert.ok(result.failure.detail.length > 20);
    });
  }

  it('survives being written out and read again', () => {
    for (const [text] of good) {
      const first = parseCutterAddress(text);
      assert.ok(first.ok);
      const again = parseCutterAddress(formatCutterAddress(first.address));
      assert.ok(again.ok);
      assert.deepEqual({ ...again.address, baudRateGiven: null }, { ...first.address, baudRateGiven: null });
    }
  });
});
