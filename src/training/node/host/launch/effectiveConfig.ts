import path from 'node:path';
import * as z from 'zod/mini';
import { compose, type Composition } from '../../../../configs/core/compose.ts';
import { dialectOf, dialects } from '../../../../configs/core/dialect.ts';
import { configSecrets, maskSecrets, secretDefaults } from '../../../../configs/core/effective/secrets.ts';
import type { RunOrder } from '../../../core/protocol/runs.ts';
import { bridgedCode, bridgedFile, bridgePackage, type BridgedCode } from '../../../core/protocol/bridge.ts';
import { confidentialValues } from '../../../core/runs/secrets.ts';
import { effectiveConfigText } from '../../../core/runs/effectiveConfig.ts';
import { localFiles } from '../../../../base/node/files.ts';
import { readJson } from '../../../../base/node/atomicFile.ts';
import { marksOfSecrets, redactorOf } from '../runs/runFolder.ts';

type Variables = Readonly<Record<string, string | undefined>>;

export interface StartedConfig {
  readonly run: string;
  readonly order: RunOrder;
  /** The absolute working folder of the run, with all files for the launcher. */
  readonly folder: string;
  /** The config as it was sent, and as the run starts with it. */
  readonly sent: string;
  readonly started: string;
  readonly variables: Variables;
  /** These variables, and others whose secrets must be hidden. */
  readonly secrets: Variables;
}

/** Returns the effective config of a run, composed on this host with the defaults of the installed launcher. */
export async function effectiveConfigOf(
  request: StartedConfig,
): Promise<{ readonly text: string; readonly secrets: readonly string[] }> {
  const { run, order, folder, sent, started, variables, secrets } = request;
  const dialect = dialectOf(sent) ?? dialects[0];
  const composed = (text: string): Promise<Composition> =>
    compose({
      file: path.join(folder, order.config),
      text,
      dialect,
      cwd: folder,
      files: localFiles,
      paths: path,
      environment: maskSecrets((name) => variables[name]),
    });
  const before = await composed(sent);
  const after = started === sent ? before : await composed(started);
  const redactor = redactorOf(marksOfSecrets(secrets, confidentialValues(order.env)));
  const text = effectiveConfigText({
    ...{ run, order, text: sent, dialect: dialect.id, relativeTo: folder },
    ...{ sent: before, started: after },
    redact: (line) => redactor.line(line),
    bridged: await bridgedExports(folder),
  });
  return { text, secrets: [...configSecrets(after.config.root), ...secretDefaults(after.layers)] };
}

const bridged = z.record(z.string(), z.nullable(bridgedCode));

async function bridgedExports(folder: string): Promise<Readonly<Record<string, BridgedCode>>> {
  const document = await readJson(path.join(folder, bridgePackage, bridgedFile)).catch(() => undefined);
  const entries = Object.entries(bridged.safeParse(document).data ?? {});
  return Object.fromEntries(entries.flatMap(([kind, code]) => (code === null ? [] : [[kind, code]])));
}
