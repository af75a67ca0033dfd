import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { compose } from '../../../../src/configs/core/compose.ts';
import { convert } from '../../../../src/configs/core/convert/convert.ts';
import { dialectOf } from '../../../../src/configs/core/dialect.ts';
import { diffEffective } from '../../../../src/configs/core/effective/diff.ts';
import { renderEffective } from '../../../../src/configs/core/effective/render.ts';
import { parseConfig } from '../../../../src/configs/core/parse.ts';
import { fromNode, type MappingValue } from '../../../../src/configs/core/value.ts';
import { localFiles } from '../../../../src/base/node/files.ts';
import { configFiles } from '../configFiles.ts';

const known = configFiles().flatMap((file) => {
  const dialect = dialectOf(file.text);
  return dialect === undefined ? [] : [{ ...file, dialect }];
});

describe('whole configs, effective and converted', () => {
  it.each(known)('$name reads back as what was shown', async ({ path: file, text, dialect }) => {
    const composition = await compose({
      file,
      text,
      dialect,
      cwd: path.dirname(file),
      files: localFiles,
      paths: path,
      environment: () => undefined,
    });
    const roots: MappingValue[] = [composition.config.root];
    if (dialect.id === 'ajet') {
      for (const target of ['verl', 'trinity', 'debug'] as const)
        roots.push(convert(composition, target).root);
    }
    for (const root of roots) {
      const rendered = renderEffective(root, {
        format: 'yaml',
        origins: true,
        relativeTo: path.dirname(file),
      });
      const document = parseConfig(rendered.text);
      expect(document.problems).toEqual([]);
      if (document.root === undefined) throw new Error('nothing was shown');
      const back = fromNode(document.root, { file: '/back.yaml', lines: document.lines }, () => undefined);
      expect(diffEffective(root, back)).toEqual([]);
    }
  });
});
