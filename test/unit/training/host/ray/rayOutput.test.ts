import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { ResumableOutput } from '../../../../../src/training/node/host/ray/rayOutput.ts';
import { Random } from '../../../../../src/base/core/random.ts';

const program = path.join(import.meta.dirname, 'programs/print.ts');

function newFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'agentjet-printed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('each byte is printed once, however often who prints is killed', () => {
  const folder = newFolder();
  const [file, note, log] = ['out', 'note', 'log'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ];
  const random = new Random('killed while it prints');
  const text = Array.from({ length: 5_000 }, (_, line) => `line ${line} ${'é'.repeat(line % 9)}\n`).join('');
  writeFileSync(log, text);
  for (let round = 0; round < 15; round += 1) {
    const killedAt = 1 + random.below(20);
    const args = [program, file, note, log, String(killedAt), String(random.next())];
    expect(spawnSync(process.execPath, args).signal).toBe('SIGKILL');
  }
  const { status, stderr } = spawnSync(process.execPath, [program, file, note, log, '1000000', '1']);
  expect([status, stderr.toString()]).toEqual([0, '']);
  // Byte by byte: a kill may stand in the middle of a character.
  const printed = readFileSync(file, 'latin1').replaceAll(/agentjet: (?:here again|still here)\n/g, '');
  expect(Buffer.from(printed, 'latin1').equals(Buffer.from(text))).toBe(true);
});

test('what has been printed is not printed again, wherever pieces begin', () => {
  const folder = newFolder();
  const file = path.join(folder, 'out');
  for (const size of [7, 100, 3]) {
    const output = new ResumableOutput(file, path.join(folder, 'note'));
    for (let at = 0; at < 50; at += size) {
      output.print(at, Buffer.from('0123456789'.repeat(5)).subarray(at, at + size));
    }
    output.close();
  }
  expect(readFileSync(file, 'utf8')).toBe('0123456789'.repeat(5));
});
