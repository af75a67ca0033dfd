import { closest, distance } from 'fastest-levenshtein';
import { locatorOfJudge, misspelledJudge } from '../builtInJudges.ts';
import type { CodeSite, LocatorTarget } from '../code/classes.ts';
import { faultOf, functionForms, hintOfForm, pythonFunctionForms } from '../code/functionForm.ts';
import type { ConfigContext } from '../context.ts';
import { replaceScalar } from '../edits.ts';
import { finding, fix, type Finding, type Fix, type RelatedLocation } from '../finding.ts';
import { parseLocator, type Locator } from '../locator.ts';
import { hasInterpolation, nodeAt, type ScalarNode } from '../node.ts';
import { roleOf, stubOf, type ClassRole } from './stubs.ts';

interface NamedLocator {
  readonly context: ConfigContext;
  readonly node: ScalarNode;
  readonly locator: Locator;
  readonly role: ClassRole;
}

export function locatorTargets(context: ConfigContext): Finding[] {
  const { dialect, document, references } = context;
  return dialect.locatorKeys.flatMap((key): Finding[] => {
    const node = nodeAt(document.root, key.split('.'));
    if (node?.kind !== 'scalar' || typeof node.value !== 'string' || hasInterpolation(node)) return [];
    const parsed = parseLocator(node.value);
    const target = references.locator(node.value);
    if (!parsed.ok || target === undefined) return [];
    const named = { context, node, locator: parsed.locator, role: roleOf(key) };
    return targetFindings(named, target);
  });
}

function targetFindings(named: NamedLocator, target: LocatorTarget): Finding[] {
  switch (target.status) {
    case 'found':
      return target.site.kind === 'function'
        ? wrongSignature(named, target.site)
        : wrongKind(named, target.site);
    case 'no-file':
      return [noFile(named, target.file)];
    case 'no-name':
      return [noName(named, target.file, target.sites)];
    case 'built-in':
      return [];
    case 'elsewhere':
      return named.role.what === 'judge' ? misspelled(named) : [];
  }
}

/** A judge of AgentJet with a typing error, which is neither in this workspace nor built in. */
function misspelled({ context, node, locator }: NamedLocator): Finding[] {
  const judge = misspelledJudge(locator);
  if (judge === undefined) return [];
  const meant = locatorOfJudge(judge);
  return [
    finding(context.document, node.span, {
      rule: 'locator-target',
      severity: 'error',
      message: `AgentJet does not have the judge \`${locator.where}->${locator.name}\`. Did you mean \`${meant}\`?`,
      fixes: () => fix(`Change to \`${meant}\``, replaceScalar(context.document, node, meant, true)),
    }),
  ];
}

function noFile(named: NamedLocator, file: string): Finding {
  const { context, node, locator, role } = named;
  const what = locator.kind === 'file' ? 'There is no file' : 'There is no module';
  const message = `${what} \`${locator.where}\` (expected at ${file}), so training cannot load the ${role.what}.`;
  return finding(context.document, node.span, {
    rule: 'locator-target',
    severity: 'error',
    message,
    fixes: () => stubFix(named, file, undefined),
  });
}

function noName(named: NamedLocator, file: string, sites: readonly CodeSite[]): Finding {
  const { context, node, locator, role } = named;
  const nearest = [...sites].sort((a, b) => distance(a.name, locator.name) - distance(b.name, locator.name));
  const names = sites.map(({ name }) => name);
  const best = names.length === 0 ? undefined : closest(locator.name, names);
  const hint = best === undefined ? '' : ` Did you mean \`${best}\`?`;
  const message = `\`${locator.where}\` does not have the class \`${locator.name}\`, so training cannot load the ${role.what}.${hint}`;
  return finding(context.document, node.span, {
    rule: 'locator-target',
    severity: 'error',
    message,
    fixes: () => [
      ...nearest.slice(0, 3).flatMap((site) => renameFix(named, site)),
      ...stubFix(named, file, sites),
    ],
  });
}

function renameFix({ context, node, locator }: NamedLocator, site: CodeSite): Fix[] {
  const text = `${locator.where}->${site.name}`;
  return fix(`Change to \`${site.name}\``, replaceScalar(context.document, node, text, true));
}

/** `sites`: what the file has already; undefined where there is no file. */
function stubFix(
  { context, locator, role }: NamedLocator,
  file: string,
  sites: readonly CodeSite[] | undefined,
): Fix[] {
  const text = stubOf({ role, name: locator.name, file, sites, package: context.dialect.section ?? 'ajet' });
  if (text === undefined) return [];
  return [
    { title: `Create the ${role.what} \`${locator.name}\` as a stub`, edits: [], writes: [{ file, text }] },
  ];
}

function wrongSignature({ context, node, role }: NamedLocator, site: CodeSite): Finding[] {
  const forms = site.language === 'python' ? pythonFunctionForms : functionForms;
  const form = forms[role.what];
  const fault = faultOf(site.parameters ?? [], form);
  if (fault === undefined) return [];
  return [
    finding(context.document, node.span, {
      rule: 'locator-signature',
      severity: 'warning',
      message: `\`${site.name}\` ${fault}. ${hintOfForm(form)}`,
      related: [writtenHere(site)],
    }),
  ];
}

function writtenHere({ name, file, line, column }: CodeSite): RelatedLocation {
  return { location: { file, line, column }, message: `\`${name}\` is defined here.` };
}

/** Reports a class that certainly has a wrong base. Unknown bases may lead to the right one. */
function wrongKind({ context, node, role }: NamedLocator, site: CodeSite): Finding[] {
  if (site.kind !== 'class') return [];
  const bases = site.bases.map((base) => base.replace(/^.*\./, '').replace(/[[<(].*$/, ''));
  const other = bases.find((base) => role.others.includes(base));
  const isOther = other !== undefined && site.role !== role.what;
  // Of a class whose bases were followed to their end, it is known that none of them is the right one.
  const plain =
    site.role === undefined ? bases.every((base) => neutralBases.has(base)) : site.role === 'neither';
  if (!isOther && !(plain && role.needsBase)) return [];
  const named = isOther ? [other] : bases;
  const is =
    named.length === 0
      ? 'does not extend a class'
      : `extends ${named.map((base) => `\`${base}\``).join(', ')}`;
  const message = `\`${site.name}\` ${is}, but a ${role.what} must extend \`${role.base}\`.`;
  return [
    finding(context.document, node.span, {
      rule: 'locator-base',
      severity: 'warning',
      message,
      related: [writtenHere(site)],
    }),
  ];
}

const neutralBases: ReadonlySet<string> = new Set(['object', 'ABC']);
