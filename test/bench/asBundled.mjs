/** Lets our source, where a bench runs it as it is, import the same builds of packages that `esbuild.mjs` bundles. */
import { registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../tools/commands.mjs';

const source = pathToFileURL(path.join(root, 'src') + path.sep).href;
const yaml = pathToFileURL(path.join(root, 'node_modules/yaml/browser/index.js')).href;

registerHooks({
  resolve: (specifier, context, next) => {
    const ours = specifier === 'yaml' && context.parentURL?.startsWith(source) === true;
    return ours ? { url: yaml, shortCircuit: true } : next(specifier, context);
  },
});
