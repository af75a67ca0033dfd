/** Files that keep the config of a run have no secrets of it, and its permissions. */
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openRunFolder } from '../../../../src/backbone/node/runFolder.ts';
import { redactConfigText } from '../../../../src/configs/core/effective/secrets.ts';
import { parseConfig } from '../../../../src/configs/core/parse.ts';
import { confidentialValues } from '../../../../src/training/core/runs/secrets.ts';
import { runHere } from '../../command/commandLines.ts';
import { temporaryFolder } from '../../traces/folder.ts';
import { aRun } from '../../traces/samples.ts';

const config = `ajet:
  project_name: maths # kept
  judge:
    password: "hunter, two; three} four"
    api_keys:
      - d1b6cc0a77f1-a
      - {eu: d1b6cc0a77f1-b}
    client_secret: |
      d1b6cc0a77f1-c and
      d1b6cc0a77f1-d
    private_key: >-
      d1b6cc0a77f1-e
    token: &again d1b6cc0a77f1-f
    access_token: *again
    fallback: "\${oc.env:DB_PASSWORD,d1b6cc0a77f1-g}"
    url: https://ann:d1b6cc0a77f1@db.example/x
    from_environment: "\${oc.env:OPENAI_API_KEY}"
    max_tokens: 1048576
`;
const secrets = /d1b6cc0a77f1|hunter|two; three|four/;

test('the text of a config keeps its keys and comments without its secrets', () => {
  const text = redactConfigText(config);
  expect(text).not.toMatch(secrets);
  expect(text).toContain('project_name: maths # kept');
  expect(text).toContain('from_environment: "${oc.env:OPENAI_API_KEY}"');
  expect(text).toContain('max_tokens: 1048576');
  expect(parseConfig(text).problems).toEqual([]);
  const harmless = 'ajet:\n  project_name: p\n  model: {path: /m}\n';
  expect(redactConfigText(harmless)).toBe(harmless);
});

test('the copy and the trace of a run have no secrets, and the permissions of the config', async () => {
  for (const mode of [0o600, 0o640, 0o644]) {
    const file = path.join(temporaryFolder(), 'exp.yaml');
    writeFileSync(file, config);
    chmodSync(file, mode);
    const folder = await openRunFolder(`${file}-run`, config, file);
    const writer = folder.openTrace(aRun());
    const names = readdirSync(folder.path);
    expect(names.length).toBeGreaterThan(1);
    for (const name of names) {
      const kept = path.join(folder.path, name);
      expect([name, statSync(kept).mode & 0o777]).toEqual([name, mode]);
      expect(readFileSync(kept, 'latin1')).not.toMatch(secrets);
    }
    writer.runEnded({ status: 'completed', error: null, endedAt: 0 });
  }
});

test('the command `config` shows secrets only with --secrets', async () => {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'exp.yaml'), config);
  const shown = async (...flags: string[]): Promise<string> => {
    let text = '';
    const output = { write: (chunk: string) => void (text += chunk), colour: false };
    await runHere(['config', 'exp.yaml', ...flags], {
      ...{ stdout: output, stderr: output, readStdin: () => Promise.resolve(''), cwd: folder },
      env: { OPENAI_API_KEY: 'd1b6cc0a77f1-h' },
    });
    return text;
  };
  expect(await shown()).not.toMatch(secrets);
  expect(await shown('--secrets')).toMatch(/d1b6cc0a77f1-a[^]*d1b6cc0a77f1-h/);
});

test('variables that are passed to a run are secrets, unless they are numbers, paths or words', () => {
  const hidden = [
    'd1b6cc0a77f1',
    'Tr0ub4dor&3',
    'correct-horse-battery-staple',
    'wJalrXUtnFEMI/K7MDENG/bPxRfiCY',
  ];
  const addresses = ['https://x.example/?sig=abc', 'postgres://ann:pw@db/x', 'AccountName=x;AccountKey=y'];
  const plain = ['short', '1048576', '0,1,2,3,4,5,6,7', '/data/models/big.bin', '~/x/config', './a/b.yaml'];
  const names = [
    'Qwen/Qwen2.5-7B-Instruct',
    'FLASH_ATTN',
    'question',
    'https://api.example.com:8000/v1',
    'C:\\data',
  ];
  const all = [...hidden, ...addresses, ...plain, ...names];
  const env = Object.fromEntries(all.map((value, index) => [`NAME_${index}`, value]));
  expect(confidentialValues(env)).toEqual([...hidden, ...addresses]);
});
