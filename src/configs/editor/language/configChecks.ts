import * as vscode from 'vscode';
import { check, type CheckSettings } from '../../core/check.ts';
import type { ConfigContext } from '../../core/context.ts';
import { isRule, type Finding, type RuleId } from '../../core/finding.ts';
import { severities, type Severity } from '../../core/rules/ruleEntry.ts';
import { settings, settingsSection } from '../../../base/core/ids.ts';
import { currentId, renamedRules } from '../../../base/core/renamedIds.ts';
import type { ConfigContexts } from './configContexts.ts';

export interface CheckResult {
  readonly context: ConfigContext;
  readonly findings: readonly Finding[];
}

/** The findings of open configs, computed once per version. */
export class ConfigChecks {
  readonly #contexts: ConfigContexts;
  #known = new WeakMap<ConfigContext, CheckResult>();

  constructor(contexts: ConfigContexts) {
    this.#contexts = contexts;
  }

  /** Returns undefined for other files, and if checks are switched off. */
  async of(document: vscode.TextDocument): Promise<CheckResult | undefined> {
    const section = vscode.workspace.getConfiguration(settingsSection, document.uri);
    if (!section.get<boolean>(settings.checkEnabled, true)) return undefined;
    const context = await this.#contexts.of(document);
    if (context === undefined) return undefined;
    const known = this.#known.get(context);
    if (known !== undefined) return known;
    const rules = readRules(section.get<unknown>(settings.checkRules));
    const checked = { context, findings: check(context, { rules }) };
    this.#known.set(context, checked);
    return checked;
  }

  /** The settings changed. */
  forget(): void {
    this.#known = new WeakMap();
  }
}

/** Reads the rule settings without invalid entries, which the editor marks in settings.json. */
function readRules(value: unknown): NonNullable<CheckSettings['rules']> {
  if (typeof value !== 'object' || value === null) return {};
  const all: (readonly [string, unknown])[] = Object.entries(value);
  const renamed = all.map(([id, level]) => [currentId(renamedRules, id), level] as const);
  // A current id comes last and so counts more than its old id.
  const entries = [...renamed, ...all].filter(
    (entry): entry is [RuleId, Severity | 'off'] => isRule(entry[0]) && isLevel(entry[1]),
  );
  return Object.fromEntries(entries);
}

function isLevel(value: unknown): value is Severity | 'off' {
  return value === 'off' || (severities as readonly unknown[]).includes(value);
}
