import fc from 'fast-check';
import { applyEdits, parse, type ParseError } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { upstreamLaunches } from '../../../src/debugging/node/upstreamLaunches.ts';
import { fuzz } from '../fuzz.ts';

/** As upstream's documentation has it, with what people add. */
const documented = `{
  // Use IntelliSense to learn about possible attributes.
  "version": "0.2.0",
  "configurations": [
    {
      "name": "Python Debugger: Launch rollout",
      "type": "debugpy",
      "request": "launch",
      "module": "ajet.launcher", // upstream's
      "console": "integratedTerminal",
      "justMyCode": false,
      /* what it runs */
      "args": [
        "--backbone", "debug",
        "--conf", "./tutorial/example_math_agent/math_agent.yaml",
        "--with-appworld",
      ],
      // no key in here
      "env": {}
    }
  ]
}
`;

function fixed(text: string, section?: readonly string[]): string {
  const edits = upstreamLaunches(text, section).flatMap((launch) => launch.edits);
  return applyEdits(text, [...edits]);
}

/** The only configuration of a launch.json with these attributes, once it is ours. */
function turned(attributes: object): unknown {
  const text = JSON.stringify({ configurations: [{ type: 'debugpy', request: 'launch', ...attributes }] });
  const { configurations } = parse(fixed(text)) as { configurations: object[] };
  return configurations;
}

describe('a configuration that runs upstream’s launcher', () => {
  it('becomes ours in place, comments and all', () => {
    expect(fixed(documented)).toMatchInlineSnapshot(`
      "{
        // Use IntelliSense to learn about possible attributes.
        "version": "0.2.0",
        "configurations": [
          {
            "name": "Python Debugger: Launch rollout",
            "type": "agentjet",
            "request": "launch",
            "config": "\${workspaceFolder}/tutorial/example_math_agent/math_agent.yaml",
            "pythonDebug": { "justMyCode": false }, // upstream's
            /* what it runs */
            // no key in here
            "env": {}
          }
        ]
      }
      "
    `);
  });

  it('is told with what has no meaning here', () => {
    const [launch, ...others] = upstreamLaunches(documented);
    expect(others).toEqual([]);
    expect(launch).toMatchObject({
      name: 'Python Debugger: Launch rollout',
      launcher: 'ajet.launcher',
      backbone: 'debug',
      dropped: ['--with-appworld'],
    });
    const { offset = 0, length = 0 } = launch ?? {};
    expect(documented.slice(offset, offset + length)).toBe('"ajet.launcher"');
  });

  it('that trains stays, and ours is added', () => {
    const text = documented.replace('"debug",', '"verl",');
    expect(fixed(text).slice(text.indexOf('"env"'))).toMatchInlineSnapshot(`
      ""env": {}
          },
          {
            "name": "AgentJet: Python Debugger: Launch rollout",
            "env": {},
            "type": "agentjet",
            "request": "launch",
            "config": "\${workspaceFolder}/tutorial/example_math_agent/math_agent.yaml",
            "pythonDebug": {
              "justMyCode": false
            }
          }
        ]
      }
      "
    `);
  });

  it('is found in a workspace file', () => {
    const text = JSON.stringify({ folders: [], launch: parse(documented) as unknown });
    expect(fixed(text, ['launch'])).toContain('"type":"agentjet"');
    expect(upstreamLaunches(text)).toEqual([]);
  });

  const conf = ['--conf', 'a.yaml', '--backbone', 'debug'];
  const ours = { type: 'agentjet', request: 'launch', config: '${workspaceFolder}/a.yaml' };

  it.each<[string, object, object]>([
    ['the older module', { module: 'ajet.cli.launcher', args: conf }, ours],
    ['the oldest module', { module: 'astuner.cli.launcher', args: conf }, ours],
    ['its file', { program: '${workspaceFolder}/ajet/launcher.py', args: conf }, ours],
    ['the older type', { type: 'python', module: 'ajet.launcher', args: conf }, ours],
    ['arguments in one text', { module: 'ajet.launcher', args: '--backbone=debug  --conf="a.yaml"' }, ours],
    [
      'a working folder',
      { module: 'ajet.launcher', args: conf, cwd: '/repo/', envFile: '.env', env: { A: 'b' } },
      { ...ours, config: '/repo/a.yaml', cwd: '/repo/', envFile: '.env', env: { A: 'b' } },
    ],
    [
      'an absolute config',
      { module: 'ajet.launcher', args: ['--backbone', 'debug', '--conf', '/x/a.yaml', '--exp-dir', 'out'] },
      { ...ours, config: '/x/a.yaml', expDir: 'out' },
    ],
    [
      'an interpreter',
      { module: 'ajet.launcher', args: conf, python: ['/env/bin/python', '-X', 'dev'] },
      { ...ours, python: '/env/bin/python' },
    ],
    [
      'an interpreter as it was once named',
      { module: 'ajet.launcher', args: conf, pythonPath: '/env/bin/python' },
      { ...ours, python: '/env/bin/python' },
    ],
    [
      'the selected interpreter',
      { module: 'ajet.launcher', args: conf, python: '${command:python.interpreterPath}' },
      ours,
    ],
    [
      'options of debugpy',
      { module: 'ajet.launcher', args: conf, justMyCode: false, subProcess: true, stopOnEntry: true },
      { ...ours, pythonDebug: { justMyCode: false } },
    ],
  ])('may have %s', (_, attributes, expected) => {
    expect(turned(attributes)).toEqual([expected]);
  });

  it.each<[string, object]>([
    ['another module', { module: 'pytest', args: conf }],
    ['no config', { module: 'ajet.launcher', args: ['--kill', 'ray', '--backbone', 'debug'] }],
    ['arguments that are asked for', { module: 'ajet.launcher', args: '${command:pickArgs}' }],
    ['no arguments', { module: 'ajet.launcher' }],
    ['to attach', { module: 'ajet.launcher', args: conf, request: 'attach' }],
    ['another debugger', { module: 'ajet.launcher', args: conf, type: 'node' }],
  ])('is none with %s', (_, attributes) => {
    expect(turned(attributes)).toEqual([{ type: 'debugpy', request: 'launch', ...attributes }]);
  });

  it.each(['', '{', '[]', '{"configurations": 3}', '{"configurations": [null, 1, {}]}', '\uFEFF{}'])(
    'is none in %j',
    (text) => {
      expect(upstreamLaunches(text)).toEqual([]);
    },
  );

  it('keeps every comment and stays JSON, however it is written', () => {
    const properties = [
      ['name', 'one'],
      ['type', 'debugpy'],
      ['request', 'launch'],
      ['module', 'ajet.launcher'],
      ['args', conf],
      ['console', 'integratedTerminal'],
      ['stopOnEntry', true],
      ['cwd', '${workspaceFolder}'],
    ] as const;
    const gaps = ['', ' ', '\n', '\r\n    ', ' /* comment */ ', ' // comment\n', '\n  // comment\n  '];
    const written = fc.record({
      order: fc.shuffledSubarray([...properties], { minLength: properties.length }),
      gaps: fc.array(fc.constantFrom(...gaps), { minLength: 40, maxLength: 40 }),
      trailing: fc.boolean(),
    });
    fc.assert(
      fc.property(written, ({ order, gaps: chosen, trailing }) => {
        let count = 0;
        const rest = [...chosen];
        const gap = (): string => (rest.shift() ?? '').replace('comment', () => `comment ${(count += 1)}`);
        const members = order.map(
          ([key, value], index) =>
            `${gap()}"${key}": ${JSON.stringify(value)}${gap()}${index < order.length - 1 || trailing ? ',' : ''}`,
        );
        const text = `{"configurations": [{${members.join('')}${gap()}}]}`;
        const result = fixed(text);
        const errors: ParseError[] = [];
        const { configurations } = parse(result, errors, { allowTrailingComma: trailing }) as {
          configurations: unknown[];
        };
        expect(errors, result).toEqual([]);
        expect(configurations, text).toEqual([{ name: 'one', cwd: '${workspaceFolder}', ...ours }]);
        const comments = (of: string): string[] => of.match(/comment \d+/g) ?? [];
        expect(comments(result), result).toEqual(comments(text));
      }),
      fuzz(20_261, 2000),
    );
  });
});
