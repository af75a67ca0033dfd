import type { WorkspaceConfiguration } from 'vscode';
import { describe, expect, it } from 'vitest';
import { settings } from '../../../src/base/core/ids.ts';
import { renamedSetting } from '../../../src/base/editor/settings.ts';

/** A section in which some settings are set; package.json gives the others a default. */
function sectionWith(values: Readonly<Record<string, unknown>>, defaults: Readonly<Record<string, unknown>>) {
  return {
    get: (name: string, fallback: unknown) => values[name] ?? defaults[name] ?? fallback,
    inspect: (key: string) => ({ key, defaultValue: defaults[key], workspaceValue: values[key] }),
  } as unknown as WorkspaceConfiguration;
}

describe('a renamed setting', () => {
  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['its default if neither is set', {}, 'whenRunEnds'],
    ['the old setting if only that is set', { openTrace: 'never' }, 'never'],
    [
      'the new setting if both are set',
      { openTrace: 'never', 'trace.autoOpen': 'whenRunStarts' },
      'whenRunStarts',
    ],
  ])('has %s', (_, values, expected) => {
    const section = sectionWith(values, { 'trace.autoOpen': 'whenRunEnds', openTrace: '' });
    expect(renamedSetting(section, settings.traceAutoOpen, 'whenRunEnds')).toBe(expected);
  });
});
