import { readFileSync } from 'node:fs';
import { toolAt } from '../../../configs/core/code/toolPlace.ts';
import type { CodeReader } from '../../core/codeViews.ts';
import { fingerprintOf } from './fingerprint.ts';

/** The user's code on this machine. */
export const localCode: CodeReader = {
  fingerprint: fingerprintOf,
  findTool: (name, files) => {
    for (const file of files) {
      const text = textOf(file);
      const place =
        text === undefined ? undefined : toolAt(text, name, /\.pyw?$/.test(file) ? 'python' : 'typescript');
      if (place !== undefined) return { file, ...place };
    }
    return undefined;
  },
};

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // gone: the others are searched all the same
  }
}
