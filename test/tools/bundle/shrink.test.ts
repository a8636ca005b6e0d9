import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { shrink, withEagerModules } from '../../../tools/bundle/shrink.ts';

/** What a script leaves in `result`. */
function resultOf(script: string): unknown {
  const context: { result?: unknown } = {};
  runInNewContext(script, context);
  // Of its own realm, where arrays and objects are not those of this one.
  return JSON.parse(JSON.stringify(context.result));
}

const bundled = `
/* webpack's table */
var modules = {
  17: (module, exports, load) => { module.exports = { greeting: 'Grüße', twice: load(4) }; },
  4: function (module) { module.exports = 'four'; },
  500: (module) => { const unused = { 1: (x) => x, 2: (x) => x }; module.exports = unused; },
};
function load(id) { const module = { exports: {} }; modules[id](module, module.exports, load); return module.exports; }
result = load(17);
`;

describe('a script of the bundle', () => {
  it('behaves the same after shrinking', async () => {
    expect(resultOf(await shrink(bundled))).toEqual(resultOf(bundled));
    expect(resultOf(await shrink(bundled))).toEqual({ greeting: 'Grüße', twice: 'four' });
  });

  it('is shorter, has no comments, and is ASCII', async () => {
    const small = await shrink(bundled);
    expect(small.length).toBeLessThan(bundled.length);
    expect(small).not.toContain('webpack');
    expect(small).toMatch(/^[\0-\x7F]*$/u);
  });

  it('keeps the names of functions and classes, which stacks show', async () => {
    const script = `class Gate { judge() { return Gate.name; } }\nfunction verdict() { return new Gate().judge(); }\nresult = [verdict(), verdict.name];`;
    expect(resultOf(await shrink(script))).toEqual(['Gate', 'verdict']);
  });

  it('loses unused declarations, but nothing that has an effect, and no parameters', async () => {
    const script = `var table = { 1: (module) => {
  function forgotten() { return 'forgotten'; }
  const words = ['forgotten'];
  const made = module.push('made');
  module.push(((first, second) => first).length);
}, 2: () => {} };
result = [];
table[1](result);`;
    expect(resultOf(await shrink(script))).toEqual(['made', 2]);
    expect(await shrink(script)).not.toContain('forgotten');
  });

  it('has parentheses around every module of the table, and nothing else', () => {
    const script = 'var t={1:(a,b)=>{a.b={1:x=>x,2:x=>x}},2:function(a){},name:()=>{}};const u={3:()=>0};';
    expect(withEagerModules(script)).toBe(
      'var t={1:((a,b)=>{a.b={1:x=>x,2:x=>x}}),2:(function(a){}),name:()=>{}};const u={3:()=>0};',
    );
  });

  it('has no new parentheses if there is no table of modules', () => {
    expect(withEagerModules('const a = { 1: 2, 2: 3 };')).toBe('const a = { 1: 2, 2: 3 };');
    expect(withEagerModules('')).toBe('');
  });
});
