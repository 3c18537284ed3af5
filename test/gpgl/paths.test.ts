import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { concatenated, pathAt, selectedPaths, toolPathsOf, type Tool, type ToolPath } from '../../src/gpgl/index.ts';
import { listOf } from '../support/paths.ts';

const path = fc.record({
  tool: fc.constantFrom<Tool>('cut', 'kiss-cut', 'perforation', 'crease'),
  closed: fc.boolean(),
  pointsMm: fc.array(fc.tuple(fc.double({ noNaN: true }), fc.double({ noNaN: true })), { minLength: 1, maxLength: 50 }).map((points) => Float64Array.from(points.flat())),
}, { noNullPrototype: true });
const list = fc.array(path, { maxLength: 40 });

describe('paths in columns', () => {
  it('are the paths they were made of, in their order', () => {
    fc.assert(fc.property(list, (paths) => {
      assert.deepEqual(listOf(toolPathsOf(paths)), paths);
    }));
  });

  it('are selected in any order, also more than once', () => {
    fc.assert(fc.property(list.filter(({ length }) => length > 0), fc.array(fc.nat()), (paths, numbers) => {
      const indices = numbers.map((number) => number % paths.length);
      assert.deepEqual(listOf(selectedPaths(toolPathsOf(paths), Int32Array.from(indices))), indices.map((index) => paths[index]));
    }));
  });

  it('are put one after the other', () => {
    fc.assert(fc.property(fc.array(list, { maxLength: 4 }), (parts) => {
      assert.deepEqual(listOf(concatenated(parts.map(toolPathsOf))), parts.flat());
    }));
  });

  it('have no path beyond the last', () => {
    const square: ToolPath = { tool: 'cut', closed: true, pointsMm: Float64Array.of(0, 0, 1, 0, 1, 1, 0, 1) };
    assert.throws(() => pathAt(toolPathsOf([square]), 1), RangeError);
  });
});
