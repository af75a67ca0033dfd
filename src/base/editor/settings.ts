import type * as vscode from 'vscode';
import { renamedSettings } from '../core/renamedIds.ts';

/** Returns a setting below `agentjet.`. Its old name counts if it is set anywhere and the new one is not. */
export function renamedSetting<T>(section: vscode.WorkspaceConfiguration, name: string, fallback: T): T {
  const old = Object.entries(renamedSettings).find(([, current]) => current === name)?.[0];
  const used = old !== undefined && !isSet(section, name) && isSet(section, old) ? old : name;
  return section.get<T>(used, fallback);
}

function isSet(section: vscode.WorkspaceConfiguration, name: string): boolean {
  const { globalValue, workspaceValue, workspaceFolderValue } = section.inspect(name) ?? {};
  return [globalValue, workspaceValue, workspaceFolderValue].some((value) => value !== undefined);
}
