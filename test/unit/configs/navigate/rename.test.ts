import { describe, expect, it } from 'vitest';
import { referencesAt } from '../../../../src/configs/core/navigate/references.ts';
import { renamableAt, renameAt } from '../../../../src/configs/core/navigate/rename.ts';
import { applyEdits } from '../../../../src/configs/core/text.ts';
import { contextAt } from './project.ts';

/** The places named, each in `[…]`. */
async function references(marked: string): Promise<string> {
  const { context, offset } = await contextAt(marked);
  const edits = referencesAt(context, offset).map(({ start, end }) => {
    const span = { start: start.offset, end: end.offset };
    return { span, newText: `[${context.document.text.slice(span.start, span.end)}]` };
  });
  return applyEdits(context.document.text, edits);
}

/** The text after the rename, or why there is none. */
async function renamed(marked: string, name: string): Promise<string> {
  const { context, offset } = await contextAt(marked);
  const result = renameAt(context, offset, name);
  return result.ok ? applyEdits(context.document.text, result.edits) : result.message;
}

describe('referencesAt', () => {
  it.each([
    [
      'a key',
      'ajet: {}\nmi|ne:\n  a: 1\n  b: ${.a} ${mine.a}\n',
      'ajet: {}\n[mine]:\n  a: 1\n  b: ${.a} ${[mine].a}\n',
    ],
    [
      'a key named in all ways',
      'ajet: {}\nmine:\n  |a: 1\n  b: ${.a} ${mine.a}\n  c:\n    d: ${..a}\n    e: ${mine[a]}\n',
      'ajet: {}\nmine:\n  [a]: 1\n  b: ${.[a]} ${mine.[a]}\n  c:\n    d: ${..[a]}\n    e: ${mine[[a]]}\n',
    ],
    [
      'from an interpolation',
      'ajet: {}\nmine:\n  a: 1\nb: "${mi|ne.a}"\nc: ${mine}\n',
      'ajet: {}\n[mine]:\n  a: 1\nb: "${[mine].a}"\nc: ${[mine]}\n',
    ],
    [
      'of a key beside one of its name',
      'ajet: {}\nx:\n  |a: 1\ny:\n  a: ${y.b}\n  b: ${x.a}\n',
      'ajet: {}\nx:\n  [a]: 1\ny:\n  a: ${y.b}\n  b: ${x.[a]}\n',
    ],
    [
      'an anchor',
      'ajet: {}\na: &m| 1\nb: [*m, *n]\nc: &m 2\nd: *m\n',
      'ajet: {}\na: &[m] 1\nb: [*[m], *n]\nc: &m 2\nd: *m\n',
    ],
    ['nothing', 'ajet: {}\na: 1|\n', 'ajet: {}\na: 1\n'],
  ])('finds %s', async (_, marked, expected) => {
    expect(await references(marked)).toBe(expected);
  });
});

describe('renameAt', () => {
  it.each([
    [
      'a key with what names it',
      'ajet: {}\nmi|ne:\n  a: 1\nb: ${mine.a}\nc: "x ${mine} ${oc.env:mine}"\n',
      'ajet: {}\nours:\n  a: 1\nb: ${ours.a}\nc: "x ${ours} ${oc.env:mine}"\n',
    ],
    [
      'from an interpolation',
      'ajet: {}\nmine:\n  a: 1\n  b: ${.|a}\n  c: [\'${..a}\', "${mine[a]}"]\n',
      'ajet: {}\nmine:\n  ours: 1\n  b: ${.ours}\n  c: [\'${..ours}\', "${mine[ours]}"]\n',
    ],
    ['a key in quotes', 'ajet: {}\n"mi|ne": 1\nb: ${mine}\n', 'ajet: {}\n"ours": 1\nb: ${ours}\n'],
    ['an anchor and its aliases', 'ajet: {}\na: &m 1\nb: *|m\n', 'ajet: {}\na: &ours 1\nb: *ours\n'],
    [
      'what `<<` brings in',
      'ajet: {}\na: &m\n  |x: 1\nb:\n  <<: *m\n  y: ${b.x} ${a.x}\n',
      'ajet: {}\na: &m\n  ours: 1\nb:\n  <<: *m\n  y: ${b.ours} ${a.ours}\n',
    ],
    [
      'only what is meant',
      'ajet: {}\nx: {|a: 1}\ny: {a: 2, b: "${y.a} ${x.a}"}\n',
      'ajet: {}\nx: {ours: 1}\ny: {a: 2, b: "${y.a} ${x.ours}"}\n',
    ],
    [
      'no key of the table',
      'ajet:\n  roll|out: {}\n',
      '`ajet.rollout` is a key that AgentJet reads, so it cannot have another name.',
    ],
    [
      'no key of the table through an interpolation',
      'ajet:\n  model:\n    path: x\nb: ${ajet.model.pa|th}\n',
      '`ajet.model.path` is a key that AgentJet reads, so it cannot have another name.',
    ],
    [
      "none of Hydra's",
      'ajet: {}\ndef|aults: []\n',
      '`defaults` is read by Hydra, so it cannot have another name.',
    ],
    ['no value', 'ajet: {}\na: 1|\n', 'Only keys, `${…}`, anchors and aliases can be renamed.'],
    [
      'no key of another file',
      'ajet: {}\na: ${mi|ne}\n',
      '`mine` is not a key of this file, so it cannot be renamed here.',
    ],
    [
      'nothing to a name that is taken',
      'ajet: {}\n|a: 1\nours: 2\n',
      '`ours` already exists in this section.',
    ],
    [
      'no anchor to one that is taken',
      'ajet: {}\na: &|m 1\nb: &ours 2\n',
      'The anchor `ours` already exists.',
    ],
    [
      'nothing that a resolver names',
      'ajet: {}\n|a: 1\nb: ${oc.select:a,2}\n',
      '`${oc.select:a,2}` refers to it through a resolver. Change that one first.',
    ],
  ])('renames %s', async (_, marked, expected) => {
    expect(await renamed(marked, 'ours')).toBe(expected);
  });

  it.each([
    ['a.b', '`a.b` cannot be used in a `${…}`. Use letters, digits, `_` and `-`.'],
    ['', '`` cannot be used in a `${…}`. Use letters, digits, `_` and `-`.'],
    ['true', '`true` would be a value of type boolean, not a key.'],
    ['12', '`12` would be a value of type integer, not a key.'],
  ])('refuses the name %j', async (name, expected) => {
    expect(await renamed('ajet: {}\n|a: 1\n', name)).toBe(expected);
  });

  it('says beforehand what would be renamed', async () => {
    const { context, offset } = await contextAt('ajet: {}\n"mine": 1\nb: ${mi|ne}\n');
    const found = renamableAt(context, offset);
    expect(found).toEqual({ ok: true, span: { start: 24, end: 28 }, name: 'mine' });
    const value = await contextAt('ajet: {}\na: 1|\n');
    expect(renamableAt(value.context, value.offset)).toMatchObject({ ok: false });
  });
});
