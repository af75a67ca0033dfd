/** What package.json says of the view and what the code does agree. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { manifestIn } from '../../../tools/translations.mjs';
import { commands, contextKeys, traceEditorType, views } from '../../../../src/base/core/ids.ts';

interface View {
  readonly id: string;
  readonly name: string;
  readonly icon: string;
  readonly when: string;
}

interface Item {
  readonly command: string;
  readonly when: string;
}

interface Contributions {
  readonly viewsContainers: {
    readonly activitybar: readonly { readonly id: string; readonly icon: string }[];
  };
  readonly views: Record<string, readonly View[]>;
  readonly viewsWelcome: readonly {
    readonly view: string;
    readonly contents: string;
    readonly when: string;
  }[];
  readonly menus: Record<string, readonly Item[]>;
  readonly keybindings: readonly (Item & { readonly key: string })[];
  readonly commands: readonly { readonly command: string; readonly enablement?: string }[];
  readonly customEditors: readonly { readonly viewType: string }[];
}

const root = path.resolve(import.meta.dirname, '../../../..');
const { contributes } = manifestIn() as { contributes: Contributions };
const ofOneRun: readonly string[] = [
  commands.openRun,
  commands.openRunConfig,
  commands.revealRunInOs,
  commands.revealRunInExplorer,
  commands.copyRunPath,
  commands.renameRun,
  commands.deleteRun,
];
/** Commands for the row of a training. They also ask for one. */
const ofTraining: readonly string[] = [
  commands.openTrainingFolder,
  commands.resumeTrainingFolder,
  commands.fetchFolderCheckpoint,
  commands.publishFolderCheckpoint,
  commands.deleteFolderCheckpoint,
];

const itemsOf = (view: string): readonly Item[] =>
  (contributes.menus['view/item/context'] ?? []).filter(({ when }) => when.includes(`view == ${view} `));

describe('the manifest of the runs view', () => {
  it('declares the container and views that the code fills', () => {
    expect(contributes.viewsContainers.activitybar.map(({ id }) => id)).toEqual(['agentjet']);
    expect(Object.keys(contributes.views)).toEqual(['agentjet']);
    expect(contributes.views['agentjet']?.map(({ id }) => id)).toEqual(Object.values(views));
    expect(contributes.customEditors.map(({ viewType }) => viewType)).toContain(traceEditorType);
  });

  it('shows no runs of a workspace that is not trusted', () => {
    const [runs] = Object.values(contributes.views).flatMap((list) =>
      list.filter(({ id }) => id === views.runs),
    );
    expect(runs?.when).toBe('!virtualWorkspace && isWorkspaceTrusted');
  });

  it('has icons that take the theme’s colour', () => {
    const icons = [
      ...contributes.viewsContainers.activitybar.map(({ icon }) => icon),
      ...Object.values(contributes.views).flatMap((list) => list.map(({ icon }) => icon)),
    ];
    for (const icon of icons) {
      expect(existsSync(path.join(root, icon)), icon).toBe(true);
      const colors = readFileSync(path.join(root, icon), 'utf8').matchAll(/#[0-9a-f]{6}/gi);
      expect(new Set([...colors].map(([color]) => color)).size, icon).toBe(1);
    }
  });

  it('welcomes once it knows that there is nothing, with commands that there are', () => {
    expect(contributes.viewsWelcome.map(({ view, when }) => [view, when])).toEqual([
      [views.runs, contextKeys.noRuns],
      [views.hosts, contextKeys.noHosts],
      ['debug', `${contextKeys.activeConfig} || ${contextKeys.activeWorkflow}`],
    ]);
    const known: readonly string[] = Object.values(commands);
    const links = contributes.viewsWelcome.flatMap(({ contents }) => [
      ...contents.matchAll(/\(command:([^)]+)\)/g),
    ]);
    expect(links.length).toBeGreaterThan(0);
    for (const [, command] of links) expect(known).toContain(command);
  });

  it('offers what is done to a run on its row and nowhere else', () => {
    const items = itemsOf(views.runs);
    // The palette has this one as well: there it is about the newest run.
    const offered = [...ofOneRun, ...ofTraining, commands.debugEpisode];
    // Some are also buttons of the row.
    expect([...new Set(items.map(({ command }) => command))].sort()).toEqual(offered.sort());
    const hidden = (contributes.menus['commandPalette'] ?? []).filter(({ when }) => when === 'false');
    expect(hidden.map(({ command }) => command)).toEqual(expect.arrayContaining([...ofOneRun]));
  });

  it('offers what is done to a host and to a training on rows of theirs', () => {
    const items = itemsOf(views.hosts);
    const all = contributes.menus['view/item/context'] ?? [];
    expect(items.length + itemsOf(views.runs).length).toBe(all.length);
    const known: readonly string[] = Object.values(commands);
    for (const { command, when } of items) {
      expect(known).toContain(command);
      expect(when).toMatch(/viewItem =~/);
    }
    for (const command of [commands.cancelTraining, commands.showTrainingLog, commands.setHostToken]) {
      expect(items.map((item) => item.command)).toContain(command);
    }
  });

  it('has keys that act only while the view has the focus', () => {
    const keys = contributes.keybindings.filter(({ command }) => ofOneRun.includes(command));
    expect(keys.map(({ key }) => key).sort()).toEqual(['delete', 'f2']);
    for (const { when } of keys) expect(when).toContain(`focusedView == '${views.runs}'`);
  });

  it('changes nothing on disk in a folder that is not trusted', () => {
    const enabled = (id: string): string | undefined =>
      contributes.commands.find(({ command }) => command === id)?.enablement;
    for (const id of [commands.renameRun, commands.deleteRun]) expect(enabled(id)).toBe('isWorkspaceTrusted');
  });
});
