/** What a workflow prints while it is debugged: each thing once, whole, whatever it is. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { groupBy } from '../../../../src/tracking/core/groupBy.ts';
import { backboneProcesses, breakAt, Conversation } from '../debugging.ts';
import { lineWith, mark, writeRun } from '../runs.ts';

const file = 'module/prints.ts';

describe('output', () => {
  let debug: Conversation;

  beforeEach(() => {
    debug = new Conversation();
  });

  afterEach(async () => {
    await debug.dispose();
    await debug.until('no process of a run is left', () => backboneProcesses().length === 0);
  });

  async function run(body: string, attributes: object = {}, noDebug = false): Promise<void> {
    const config = await writeRun(file, `${body}\n    return { reward: 1 };`);
    await debug.launch({ config, ...attributes }, noDebug);
    await debug.ended();
    assert.match(debug.output(), /reward 1/);
  }

  /** In each of the streams: what comes from the other at that moment may stand in the midst of a line. */
  const count = (text: string): number => {
    const outputs = debug.events('output').map((event) => event.body as DebugProtocol.OutputEvent['body']);
    const streams = [...groupBy(outputs, ({ category }) => category).values()];
    const texts = streams.map((pieces) => pieces.map(({ output }) => output).join(''));
    return texts.reduce((sum, stream) => sum + stream.split(text).length - 1, 0);
  };

  const printing = `    console.log('a log');
    console.error('an error');
    console.warn('a warning');
    process.stdout.write('unfinished');
    process.stdout.write(' line\\n');
    process.stderr.write('Debugger attached to nothing\\n');
    console.log({ name: 'object', deep: { list: [1, 2] } });
    console.log('größe 数 🙂');
    console.log('last, without an end');
    process.stdout.write('end');`;

  const texts = [
    'a log\n',
    'an error\n',
    'a warning\n',
    'unfinished line\n',
    'Debugger attached to nothing\n',
    'größe 数 🙂\n',
  ];

  for (const noDebug of [false, true]) {
    it(`appears once, ${noDebug ? 'without' : 'with'} a debugger`, async () => {
      await run(printing, {}, noDebug);
      for (const text of texts) assert.equal(count(text), 1, text);
      assert.equal(count("{ name: 'object', deep: { list: [ 1, 2 ] } }"), 1);
      assert.equal(count('last, without an end\n'), 1);
      assert.equal(count('\nend'), 1);
    });
  }

  it('of standard error is told from standard output', async () => {
    await run(printing);
    const errors = debug
      .events('output')
      .map((event) => event.body as DebugProtocol.OutputEvent['body'])
      .filter(({ category }) => category === 'stderr')
      .map(({ output }) => output)
      .join('');
    assert.match(errors, /an error\na warning\nDebugger attached to nothing\n/);
    assert.doesNotMatch(errors, /a log/);
  });

  it('of a logpoint appears once, among the rest', async () => {
    const config = await writeRun(
      file,
      `    const one = { two: 2 };\n    one.two++; ${mark}\n    return { reward: 1 };`,
    );
    breakAt(file, await lineWith(file, mark), { log: 'logged {one.two} of {one}' });
    await debug.launch({ config });
    await debug.ended();
    assert.equal(count('logged 2 of '), 1, debug.output());
    assert.equal(debug.events('stopped').length, 0);
  });

  it('of calls appears once when the JavaScript debugger reports it', async () => {
    await run(printing, { jsDebug: { outputCapture: 'console' } });
    for (const text of ['a log', 'an error', 'a warning', 'größe 数 🙂']) assert.equal(count(text), 1, text);
  });

  it('of bytes that are no text does no harm', async () => {
    await run(`    process.stdout.write(Buffer.from(Array.from({ length: 4096 }, (_, byte) => byte % 256)));
    process.stdout.write('\\nafter the bytes\\n');`);
    assert.equal(count('\nafter the bytes\n'), 1);
  });

  // Lines that differ, as a loop's do: of equal ones the editor's own console makes one element, whose text it builds
  // anew in quadratic time whenever it draws it. It takes minutes for twenty thousand, whoever sends them.
  it('of fifty thousand lines is whole, and comes in few pieces', async function () {
    this.timeout(180_000);
    const lines = 50_000;
    const config = await writeRun(
      file,
      `    const line = 'x'.repeat(90);
    for (let index = 0; index < ${lines}; index++) console.log(index, line);
    return { reward: 1 };`,
    );
    await debug.launch({ config });
    await debug.ended(150_000);
    const expected = Array.from({ length: lines }, (_, index) => `${index} ${'x'.repeat(90)}\n`).join('');
    const pieces = debug
      .events('output')
      .map((event) => event.body as DebugProtocol.OutputEvent['body'])
      .filter((body) => body.category === 'stdout' && !('agentjet' in body));
    assert.ok(
      pieces.map(({ output }) => output).join('') === expected,
      'every line, in order, and nothing else',
    );
    assert.ok(pieces.length < lines / 100, `${pieces.length} pieces`);
  });
});
