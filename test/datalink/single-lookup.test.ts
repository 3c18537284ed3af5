import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { it } from 'node:test';
import { createSingleLookup } from '../../src/datalink/single-lookup.ts';

it('a name server that does not answer is asked one question at a time, shared by all who wait', () => {
  const questions: ((error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void)[] = [];
  const lookup = createSingleLookup((_host, answer) => questions.push(answer));
  const answers: unknown[] = [];
  lookup('cutter', { all: true }, (error, found) => answers.push([error, found]));
  lookup('cutter', {}, (error, found, family) => answers.push([error, found, family]));
  assert.equal(questions.length, 1);
  const addresses = [{ address: '10.0.0.7', family: 4 }, { address: 'fe80::1', family: 6 }];
  questions[0]?.(null, addresses);
  assert.deepEqual(answers, [[null, addresses], [null, '10.0.0.7', 4]]);
  lookup('cutter', {}, (error) => answers.push(error === null ? [] : [error.message]));
  assert.equal(questions.length, 2);
  questions[1]?.(null, []);
  assert.deepEqual(answers[2], ['cutter has no address']);
});
