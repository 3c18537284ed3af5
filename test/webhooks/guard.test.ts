import assert from 'node:assert/strict';
import { BlockList, isIPv4 } from 'node:net';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createGuard, type GuardResult } from '../../src/webhooks/guard.ts';
import { isWithin, parseIp, parseNetwork } from '../../src/webhooks/ip.ts';
import { createResolver, type Resolve } from '../../src/webhooks/names.ts';

const noNames: Resolve = (host) => Promise.reject(new Error(`${host} was asked for`));

function guard(options: { allowCidrs?: string[]; own?: string[]; names?: Record<string, string[]> } = {}) {
  const { allowCidrs = [], own = [], names } = options;
  return createGuard({
    allowCidrs, ownAddresses: () => own,
    resolve: names === undefined ? noNames : (host) => Promise.resolve((names[host] ?? []).map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }))),
  });
}

const codeOf = (result: GuardResult): string => (result.ok ? 'OK' : result.failure.code);

describe('the guard against request forgery', () => {
  it('refuses what does not lead to the public Internet, in every spelling of the address', async () => {
    const hosts = [
      '127.0.0.1', '127.1', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '017700000001', '127.0.0.1.', '１２７.0.0.1', '%31%32%37.0.0.1',
      '0', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '3232235777', '0xc0a80101', '169.254.169.254', '0xa9fea9fe', '100.64.0.1',
      '192.0.0.1', '198.18.0.1', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255',
      '[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:10.0.0.1]', '[::ffff:c0a8:101]', '[64:ff9b::127.0.0.1]', '[64:ff9b::a00:1]',
      '[fe80::1]', '[fc00::1]', '[fd12:3456::1]', '[ff02::1]', '[2002:7f00:1::]', '[2001::1]', '[2001:db8::1]', '[::127.0.0.1]', '[fec0::1]', '[64:ff9b:1::1]', '[100::1]',
    ];
    for (const host of hosts) assert.equal(codeOf(await guard().check(new URL(`http://${host}:8080/x`))), 'TARGET_REFUSED', host);
  });

  it('lets public addresses pass, also inside IPv6', async () => {
    for (const host of ['93.184.216.34', '1.1.1.1', '172.32.0.1', '100.128.0.1', '[2606:4700::1111]', '[::ffff:1.1.1.1]', '[64:ff9b::101:101]']) {
      assert.equal(codeOf(await guard().check(new URL(`https://${host}/`))), 'OK', host);
    }
  });

  it('a zone never makes a link-local address pass', () => {
    assert.equal(URL.canParse('http://[fe80::1%25eth0]/'), false, 'the URL parser takes no zones');
    assert.deepEqual(parseIp('fe80::1%eth0'), parseIp('fe80::1'));
  });

  it('refuses a name as soon as one of its addresses is refused', async () => {
    const names = { 'good.test': ['93.184.216.34', '2606:4700::1111'], 'mixed.test': ['93.184.216.34', '10.0.0.1'], 'odd.test': ['not an address'], 'zone.test': ['fe80::1%eth0'] };
    assert.deepEqual(await guard({ names }).check(new URL('http://good.test')), { ok: true, addresses: [{ address: '93.184.216.34', family: 4 }, { address: '2606:4700::1111', family: 6 }] });
    for (const host of ['mixed.test', 'odd.test', 'zone.test']) assert.equal(codeOf(await guard({ names }).check(new URL(`http://${host}`))), 'TARGET_REFUSED', host);
    assert.equal(codeOf(await guard({ names }).check(new URL('http://nobody.test'))), 'NAME_NOT_RESOLVED');
    assert.equal(codeOf(await guard().check(new URL('http://failing.test'))), 'NAME_NOT_RESOLVED');
  });

  it('refuses the addresses of this machine, whatever they are', async () => {
    const own = ['203.1.114.9', '2a01:4f8::9', 'fe80::2%eth0'];
    assert.equal(codeOf(await guard({ own }).check(new URL('http://203.1.114.9'))), 'TARGET_REFUSED');
    assert.equal(codeOf(await guard({ own }).check(new URL('http://[2a01:4f8:0::9]'))), 'TARGET_REFUSED');
    assert.equal(codeOf(await guard({ own }).check(new URL('http://203.1.114.10'))), 'OK');
  });

  it('lets pass what WEBHOOK_ALLOW_CIDRS names, and says what to set for what it does not', async () => {
    const allowing = guard({ allowCidrs: ['192.168.7.0/24', 'fd00::/8', '127.0.0.1', '::1/128'] });
    for (const host of ['192.168.7.9', '[::ffff:192.168.7.9]', '[fd00::5]', '127.0.0.1', '[::1]']) assert.equal(codeOf(await allowing.check(new URL(`http://${host}`))), 'OK', host);
    for (const host of ['192.168.8.9', '127.0.0.2', '[fc00::5]']) assert.equal(codeOf(await allowing.check(new URL(`http://${host}`))), 'TARGET_REFUSED', host);
    assert.equal(allowing.checkLiteral(new URL('http://192.168.8.9:81/'))?.detail, 'The webhook\'s host 192.168.8.9 is a private address. If that is meant, set WEBHOOK_ALLOW_CIDRS=192.168.8.9/32.');
    assert.equal(allowing.checkLiteral(new URL('http://printer.shop/')), null);
    const named = await guard({ names: { 'printer.shop': ['fd00::1'] } }).check(new URL('http://printer.shop'));
    assert.ok(!named.ok);
    assert.equal(named.failure.detail, 'The webhook\'s host printer.shop leads to fd00::1, a private address. If that is meant, set WEBHOOK_ALLOW_CIDRS=fd00::1/128.');
  });
});

describe('addresses and networks', () => {
  it('agree with Node\'s own block list', () => {
    const v4 = fc.ipV4();
    const v6 = fc.ipV6().filter((address) => !/^(0*:)*:?(ffff:|64:ff9b:)/i.test(address));
    fc.assert(fc.property(fc.oneof(fc.tuple(v4, v4, fc.nat(32)), fc.tuple(v6, v6, fc.nat(128))), fc.nat(128), ([address, base, bits], near) => {
      const family = isIPv4(address) ? 'ipv4' : 'ipv6';
      // Half of the time the base is the address itself, so that both answers occur.
      const network = near % 2 === 0 ? address : base;
      const oracle = new BlockList();
      oracle.addSubnet(network, bits, family);
      const parsed = parseNetwork(`${network}/${bits}`);
      const ip = parseIp(address);
      assert.ok(parsed !== null && ip !== null);
      assert.equal(isWithin(ip, parsed), oracle.check(address, family), `${address} in ${network}/${bits}`);
    }), { numRuns: 500 });
  });

  it('read a mapped network as the IPv4 network it is', () => {
    assert.deepEqual(parseNetwork('::ffff:10.0.0.0/104'), { bytes: [10, 0, 0, 0], bits: 8 });
    assert.equal(parseNetwork('10.0.0.0/33'), null);
    assert.equal(parseNetwork('printer/8'), null);
  });
});

describe('look-ups of names', () => {
  it('are two at a time, and one for each name', async () => {
    const asked: string[] = [];
    const answers = new Map<string, () => void>();
    const resolve = createResolver((host) => new Promise((done) => {
      asked.push(host);
      answers.set(host, () => done([{ address: '192.0.2.1', family: 4 }]));
    }));
    const all = [resolve('a'), resolve('a'), resolve('b'), resolve('c'), resolve('d')];
    assert.deepEqual(asked, ['a', 'b']);
    answers.get('b')?.();
    await all[2];
    assert.deepEqual(asked, ['a', 'b', 'c']);
    answers.get('a')?.();
    answers.get('c')?.();
    await Promise.all(all.slice(0, 4));
    answers.get('d')?.();
    await all[4];
    void resolve('a');
    assert.deepEqual(asked, ['a', 'b', 'c', 'd', 'a'], 'nothing is remembered');
  });

  it('go on after one that failed', async () => {
    let calls = 0;
    const resolve = createResolver(() => {
      calls += 1;
      return calls <= 3 ? Promise.reject(new Error('no answer')) : Promise.resolve([{ address: '192.0.2.1', family: 4 }]);
    });
    const failed = await Promise.allSettled([resolve('a'), resolve('b'), resolve('c')]);
    assert.deepEqual(failed.map(({ status }) => status), ['rejected', 'rejected', 'rejected']);
    assert.equal((await resolve('d')).length, 1);
  });
});
