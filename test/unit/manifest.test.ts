/** package.json and the code name the same things, in both directions. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  commands,
  contextKeys,
  debugType,
  activeFileDebugType,
  languages,
  settings,
  settingsSection,
} from '../../src/base/core/ids.ts';
import { renamedDebugTypes, renamedSettings } from '../../src/base/core/renamedIds.ts';
import { launchSchema } from '../../src/backbone/node/options/runOptions.ts';
import { ruleProperties } from '../tools/ruleSettings.mjs';
import { manifestIn } from '../tools/translations.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const manifest = manifestIn() as Manifest;

interface Manifest {
  readonly icon: string;
  readonly main: string;
  readonly bin: Record<string, string>;
  readonly scripts: Record<string, string>;
  readonly activationEvents: readonly string[];
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
  readonly capabilities: {
    readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] };
  };
  readonly contributes: {
    readonly commands: readonly {
      readonly command: string;
      readonly title: string;
      readonly category: string;
    }[];
    readonly menus: Record<string, readonly { readonly command: string; readonly when?: string }[]>;
    readonly configuration: readonly {
      readonly properties: Record<
        string,
        {
          readonly scope: string;
          readonly markdownDescription?: string;
          readonly markdownDeprecationMessage?: string;
          readonly properties?: unknown;
        }
      >;
    }[];
    readonly debuggers: readonly {
      readonly type: string;
      readonly languages?: readonly string[];
      readonly when?: string;
      readonly configurationAttributes?: { readonly launch: unknown };
      readonly configurationSnippets?: readonly { readonly body: Record<string, unknown> }[];
      readonly initialConfigurations?: readonly Record<string, unknown>[];
    }[];
    readonly snippets: readonly { readonly path: string }[];
    readonly grammars: readonly { readonly path: string; readonly scopeName: string }[];
    readonly walkthroughs: readonly {
      readonly steps: readonly {
        readonly description: string;
        readonly media: { readonly image: Readonly<Record<'dark' | 'light' | 'hc' | 'hcLight', string>> };
        readonly completionEvents: readonly string[];
      }[];
    }[];
  };
}

const { contributes } = manifest;
/** The settings of all groups. */
const settingProperties = Object.assign(
  {},
  ...contributes.configuration.map(({ properties }) => properties),
) as (typeof contributes.configuration)[number]['properties'];
const sorted = (values: Iterable<string>): string[] => [...values].sort();

function debuggerOf(type: string): Manifest['contributes']['debuggers'][number] {
  const found = contributes.debuggers.find((candidate) => candidate.type === type);
  if (found === undefined) throw new Error(`There is no debugger ${type}.`);
  return found;
}

describe('the manifest', () => {
  it('declares the commands that the code registers', () => {
    expect(sorted(contributes.commands.map(({ command }) => command))).toEqual(
      sorted(Object.values(commands)),
    );
    expect(new Set(contributes.commands.map(({ category }) => category))).toEqual(new Set(['AgentJet']));
  });

  it('puts only such commands into menus and links', () => {
    const known = new Set<string>(Object.values(commands));
    const inMenus = Object.values(contributes.menus).flatMap((items) => items.map(({ command }) => command));
    const inSteps = contributes.walkthroughs.flatMap(({ steps }) =>
      steps.flatMap((step) => [
        ...[...step.description.matchAll(/\(command:([^)?]+)/g)]
          .map((match) => match[1] ?? '')
          .filter((command) => !command.startsWith('workbench.')),
        ...step.completionEvents
          .filter((event) => event.startsWith('onCommand:'))
          .map((event) => event.slice(10)),
      ]),
    );
    for (const command of [...inMenus, ...inSteps]) expect(known).toContain(command);
  });

  it('completes the steps of the walkthrough by events that the editor knows', () => {
    const events = contributes.walkthroughs.flatMap(({ steps }) =>
      steps.flatMap(({ completionEvents }) => completionEvents),
    );
    const keys = new Set<string>([...Object.values(contextKeys), 'activeCustomEditorId']);
    for (const event of events) {
      const [kind = '', name = ''] = event.split(':');
      expect(['onCommand', 'onLink', 'onView', 'onSettingChanged', 'onContext']).toContain(kind);
      if (kind === 'onContext')
        for (const term of name.split(' || ')) expect(keys).toContain(term.split(' == ')[0]);
    }
  });

  it('declares the settings that the code reads', () => {
    const properties = settingProperties;
    const names = [...Object.values(settings), ...Object.keys(renamedSettings)];
    expect(sorted(Object.keys(properties))).toEqual(
      sorted(names.map((name) => `${settingsSection}.${name}`)),
    );
    for (const property of Object.values(properties)) {
      expect(['resource', 'machine-overridable']).toContain(property.scope);
      expect(property.markdownDescription).not.toBe('');
    }
  });

  it('names the new setting where it declares an old one', () => {
    for (const [old, name] of Object.entries(renamedSettings)) {
      const property = settingProperties[`${settingsSection}.${old}`];
      expect(property?.markdownDeprecationMessage).toContain(`#${settingsSection}.${name}#`);
      expect(property).not.toHaveProperty('default');
    }
  });

  it('declares the old debug types as deprecated', () => {
    for (const [old, type] of Object.entries(renamedDebugTypes)) {
      expect(debuggerOf(old)).toMatchObject({ type: old, deprecated: expect.any(String) as string });
      expect(debuggerOf(type).when).toBeDefined();
      expect(manifest.activationEvents).toContain(`onDebugResolve:${old}`);
    }
  });

  it('offers every rule in the setting about rules: node test/tools/ruleSettings.mjs writes them', () => {
    const setting = settingProperties[`${settingsSection}.${settings.checkRules}`];
    expect(setting?.properties).toEqual(ruleProperties());
  });

  it('keeps settings that run something from untrusted workspaces', () => {
    const { runtimeExecutable, python, script, endpoint, tokenizer, trainingEnv } = settings;
    const renamed = 'trainingVariables';
    const restricted = [runtimeExecutable, python, script, endpoint, tokenizer, trainingEnv, renamed];
    const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    expect(sorted(restrictedConfigurations)).toEqual(
      sorted(restricted.map((name) => `${settingsSection}.${name}`)),
    );
  });

  it('declares the options of runs as launch attributes: node test/tools/launchSchema.mjs writes them', () => {
    expect(debuggerOf(debugType).configurationAttributes?.launch).toEqual(launchSchema());
  });

  it('offers launch configurations that name only such attributes', () => {
    const { configurationSnippets = [], initialConfigurations = [] } = debuggerOf(debugType);
    const bodies = [...configurationSnippets.map(({ body }) => body), ...initialConfigurations];
    expect(bodies.length).toBeGreaterThan(1);
    const { properties, required } = launchSchema();
    for (const body of bodies) {
      const own = Object.keys(body).filter((name) => !['type', 'request', 'name'].includes(name));
      for (const name of own) expect(Object.keys(properties)).toContain(name);
      for (const name of required) expect(own).toContain(name);
    }
  });

  it('claims F5 only where a config or workflow is in front', () => {
    const front = debuggerOf(activeFileDebugType);
    expect(front.when).toBe(`${contextKeys.activeConfig} || ${contextKeys.activeWorkflow}`);
    expect(front.languages).toEqual([languages.config, ...languages.code]);
    expect(debuggerOf(debugType).when).toBeUndefined();
    expect(debuggerOf(debugType).languages).toBeUndefined();
  });

  it('uses only context keys that the code sets', () => {
    const clauses = JSON.stringify([contributes, manifest.activationEvents]).matchAll(/agentjet\.active\w+/g);
    const keys = new Set<string>(Object.values(contextKeys));
    for (const [key] of clauses) expect(keys).toContain(key);
  });

  it('names files that are there', () => {
    const files = [
      manifest.icon,
      ...contributes.snippets.map((snippet) => snippet.path),
      ...contributes.grammars.map((grammar) => grammar.path),
      ...contributes.walkthroughs.flatMap(({ steps }) =>
        steps.flatMap((step) => Object.values(step.media.image)),
      ),
    ];
    for (const file of files) expect(existsSync(path.join(root, file)), file).toBe(true);
  });

  it('pins every dependency', () => {
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
      expect(version, `${name} is pinned`).toMatch(/^(?:npm:[a-z]+@)?\d+\.\d+\.\d+$/);
    }
  });
});
