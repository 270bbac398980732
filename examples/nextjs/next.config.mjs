/** The folders above have lock files of their own; this application ends here. */
export default { turbopack: { root: import.meta.dirname } };
