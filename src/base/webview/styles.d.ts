/** The bundler writes imported style sheets to one file next to the script. */
declare module '*.css';
