/** The other side of the config benches: the language service of a YAML server, with the JSON Schema of the same keys. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { getLanguageService } from 'yaml-language-server';
import { dialectOf, dialects } from '../../src/configs/core/dialect.ts';
import { jsonSchemaOf } from '../../src/configs/core/key-tables/jsonSchema.ts';

const requirePeer = createRequire(import.meta.resolve('yaml-language-server'));
const { TextDocument } = requirePeer('vscode-languageserver-textdocument');

export const peerName = `yaml-language-server ${peerVersion()}, its language service in this process`;

function peerVersion() {
  const entry = new URL(import.meta.resolve('yaml-language-server'));
  const manifest = new URL('../../package.json', entry);
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}

/** The service's cache of documents outlives it: no address and version may come again. */
let versions = 0;

export class PeerSide {
  #uri = '';
  #document;
  #service = getLanguageService({
    schemaRequestService: (uri) => Promise.reject(new Error(`${uri} is not to be fetched.`)),
    workspaceContext: { resolveRelativePath: (relative) => relative },
    yamlSettings: { documents: { get: () => this.#document } },
    clientCapabilities: { textDocument: { completion: { completionItem: { snippetSupport: true } } } },
  });

  constructor() {
    this.#service.configure({
      validate: true,
      hover: true,
      completion: true,
      schemas: dialects.map((dialect) => ({
        uri: `memory://agentjet/${dialect.id}.json`,
        fileMatch: [`*.${dialect.id}.yaml`],
        schema: jsonSchemaOf(dialect),
      })),
    });
  }

  /** A document of its own, as one that has just been opened. */
  async open(text) {
    this.#uri = `file:///project/conf/exp${versions}.${dialectOf(text)?.id ?? ''}.yaml`;
    return this.edit(text);
  }

  async edit(text) {
    this.#document = TextDocument.create(this.#uri, 'yaml', ++versions, text);
    return this.#service.doValidation(this.#document, false);
  }

  async hover(offset) {
    return (await this.#service.doHover(this.#document, this.#document.positionAt(offset)))?.contents;
  }

  async complete(offset) {
    const position = this.#document.positionAt(offset);
    return (await this.#service.doComplete(this.#document, position, false)).items;
  }
}
