import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filesOfRun, problemOfName } from '../../../../src/traces/editor/runs/runFiles.ts';

const folder = path.resolve('/w/saved_experiments/math');
const trace = path.join(folder, 'math.ajtrace');
const roots = [{ name: 'w', path: path.resolve('/w') }];

describe('what belongs to a run', () => {
  it('is the folder that it made', () => {
    const names = ['math.ajtrace', 'yaml_backup.yaml', 'episodes.jsonl'];
    expect(filesOfRun(trace, names, roots)).toEqual({ kind: 'folder', folder });
  });

  it('is only its files where the folder is none of a run', () => {
    expect(filesOfRun(trace, ['math.ajtrace', 'thesis.docx'], roots)).toEqual({
      kind: 'files',
      files: [trace],
    });
  });

  it('is only its files, journals included, where another trace lies beside', () => {
    const names = ['yaml_backup.yaml', 'math.ajtrace', 'math.ajtrace-wal', 'math.ajtrace-shm', 'b.ajtrace'];
    expect(filesOfRun(trace, names, roots)).toEqual({
      kind: 'files',
      files: [trace, `${trace}-wal`, `${trace}-shm`],
    });
  });

  it('is never an open folder, nor one that such a folder lies in', () => {
    const names = ['math.ajtrace', 'yaml_backup.yaml'];
    for (const open of [folder, path.join(folder, 'inner')]) {
      expect(filesOfRun(trace, names, [{ name: 'open', path: open }]).kind).toBe('files');
    }
  });
});

describe('a new name', () => {
  it.each(['baseline', 'lr 1e-5, seed 3', 'größer', '試験', '.hidden', 'console', '…'])(
    'may be %s',
    (name) => {
      expect(problemOfName(name, ['other'])).toBeUndefined();
    },
  );

  it.each([
    ['', /needs a name/],
    ['  ', /needs a name/],
    ['a/b', /cannot contain \/ or \\/],
    ['a\\b', /cannot contain \/ or \\/],
    ['..', /not a valid folder name/],
    [' a', /begin or end with a space/],
    ['a.', /end with a period/],
    ['a:b', /cannot contain :/],
    ['a\u0007', /control characters/],
    ['NUL.txt', /for a device/],
    ['ä'.repeat(128), /at most 255 bytes/],
    ['Other', /already contains "other"/],
  ])('may not be %j', (name, problem) => {
    expect(problemOfName(name, ['other'])).toMatch(problem);
  });

  it('never leads out of the folder that it is in', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        if (problemOfName(name, []) !== undefined) return;
        expect(path.dirname(path.join('/w', name))).toBe(path.resolve('/w'));
        expect(path.win32.dirname(path.win32.join('C:\\w', name))).toBe('C:\\w');
      }),
      { seed: 11, numRuns: 2000 },
    );
  });
});
