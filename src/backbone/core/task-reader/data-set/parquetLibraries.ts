/** The Parquet libraries as one module, which is loaded on demand. */
export { parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet';
export { compressors } from 'hyparquet-compressors';
