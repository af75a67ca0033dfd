/** Makes this Node look like one that was built without type stripping, as an editor's may be. */
import module, { syncBuiltinESMExports } from 'node:module';

module.stripTypeScriptTypes = undefined;
syncBuiltinESMExports();
Object.defineProperty(process.features, 'typescript', { value: false });
