import type * as vscode from 'vscode';
import { dialectOf, type Dialect } from '../../core/dialect.ts';
import { readFiles } from '../choose/configIndex.ts';

export interface WorkspaceConfig {
  readonly uri: vscode.Uri;
  readonly text: string;
  readonly dialect: Dialect;
}

/** The configs of all dialects in the open folders. Searched at first use and again after a change. */
export class WorkspaceConfigs {
  #all: Promise<readonly WorkspaceConfig[]> | undefined;

  /** In the order of their paths. */
  all(): Promise<readonly WorkspaceConfig[]> {
    this.#all ??= findAll().catch((error: unknown) => {
      this.#all = undefined; // a search that was cut off is tried again
      throw error;
    });
    return this.#all;
  }

  changed(): void {
    this.#all = undefined;
  }
}

async function findAll(): Promise<readonly WorkspaceConfig[]> {
  const texts = await readFiles('**/*.{yaml,yml}');
  return texts.flatMap(({ uri, text }) => {
    const dialect = dialectOf(text);
    return dialect === undefined ? [] : [{ uri, text, dialect }];
  });
}
