/** What reads Parquet, as one module that only the runs load which need it. */
export { parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet';
export { compressors } from 'hyparquet-compressors';
