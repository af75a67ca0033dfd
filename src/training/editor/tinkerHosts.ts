import path from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { CodedError } from '../../base/core/errors.ts';
import { debugType } from '../../base/core/ids.ts';
import { withCancellableProgress } from '../../base/editor/progress.ts';
import { reportingErrors } from '../../base/editor/reportErrors.ts';
import type { HostStatus } from '../core/protocol/hostRpc.ts';
import type { RunRecord } from '../core/protocol/runs.ts';
import { phaseText, stateText } from '../core/runs/words.ts';
import type { TinkerTunnel } from '../node/client/tinker/tunnel.ts';
import type { KnownHost } from './knownHosts.ts';
import type { TrainingServices } from './services.ts';

type Services = Pick<TrainingServices, 'hosts' | 'clients' | 'log'>;

/** Lets debug sessions train through the Tinker server of a GPU host. */
export function registerTinkerHosts(services: Services): Disposable {
  const store = new DisposableStore();
  const tinkerHosts = store.add(new TinkerHosts(services));
  store.add(vscode.debug.registerDebugConfigurationProvider(debugType, tinkerHosts));
  return store;
}

/**
 * Opens a tunnel for each debug session that names a GPU host in `tinkerHost`. A tunnel stays open until the window closes. No
 * debugger holds this process, so heartbeats arrive while one holds the workflow.
 */
class TinkerHosts implements vscode.DebugConfigurationProvider, Disposable {
  readonly #services: Services;
  readonly #store = new DisposableStore();
  /** By run, with their connections. A host has another connection after it was removed and added. */
  readonly #tunnels = new Map<string, { readonly tunnel: TinkerTunnel; readonly connection: unknown }>();

  constructor(services: Services) {
    this.#services = services;
  }

  async resolveDebugConfigurationWithSubstitutedVariables(
    _folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    const { tinkerHost, tinkerUrl, baseModel } = configuration as Readonly<Record<string, unknown>>;
    if (typeof tinkerHost !== 'string' || tinkerUrl !== undefined) return configuration;
    const model = typeof baseModel === 'string' ? baseModel : undefined;
    let opened: string | undefined;
    await reportingErrors(async () => (opened = await this.#open(tinkerHost, model)), this.#services.log);
    return opened === undefined ? undefined : { ...configuration, tinkerUrl: opened };
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** Resolves to the address of a tunnel; undefined if the user cancels. */
  async #open(name: string, model: string | undefined): Promise<string | undefined> {
    const { hosts, clients } = this.#services;
    const host = hosts.find(name);
    if (host === undefined) throw unknownHost(name, hosts.list());
    const title = vscode.l10n.t('Tinker server on {0}', name);
    return withCancellableProgress(title, async ({ cancellation, report }) => {
      report({ message: vscode.l10n.t('connecting …') });
      const { connection } = await clients.connect(host);
      const [{ startTinker }, { openTinkerTunnel }] = await Promise.all([
        import('../node/client/tinker/startTinker.ts'),
        import('../node/client/tinker/tunnel.ts'),
      ]);
      const show = (run: RunRecord): void => report({ message: progressText(run) });
      const { id } = await startTinker(connection, model === undefined ? {} : { model }, show, cancellation);
      const known = this.#tunnels.get(id);
      if (known?.connection === connection) return known.tunnel.url;
      const tunnel = await openTinkerTunnel(connection, id);
      this.#tunnels.set(id, { tunnel, connection });
      this.#store.defer(() => void tunnel.close());
      return tunnel.url;
    });
  }
}

function progressText({ state, phase, reason }: RunRecord): string {
  return reason ?? (state === 'running' && phase !== null ? phaseText(phase) : stateText(state));
}

/** Asks which model of the Tinker servers of a host to train. Undefined: canceled. Throws if the host has none. */
export async function chooseTinkerModel(
  host: KnownHost,
  { tinker = [] }: Pick<HostStatus, 'tinker'>,
): Promise<string | undefined> {
  const models = [...new Set(tinker.flatMap((one) => one.models))];
  if (models.length === 0) throw noServers(host);
  if (models.length === 1) return models[0];
  const items = models.map((model) => ({ label: path.basename(model), description: model, model }));
  const placeHolder = vscode.l10n.t('Select the model to train');
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.model;
}

function noServers({ name }: KnownHost): CodedError {
  return new CodedError({
    code: 'hosts/no-tinker-server',
    message: vscode.l10n.t('{0} starts no Tinker servers.', name),
    hint: vscode.l10n.t(
      'List servers in a file on the host, and start the host with it: `agentjet host --tinker-servers FILE`.',
    ),
  });
}

function unknownHost(name: string, known: readonly KnownHost[]): CodedError {
  return new CodedError({
    code: 'hosts/unknown',
    message: vscode.l10n.t('"tinkerHost" names an unknown GPU host: {0}.', name),
    hint:
      known.length === 0
        ? vscode.l10n.t('Add it with the command AgentJet: Add GPU Host.')
        : vscode.l10n.t('Known hosts: {0}.', known.map((host) => host.name).join(', ')),
  });
}
