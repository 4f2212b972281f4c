/** Files in the browser's IndexedDB: its localStorage holds only a few megabytes, and only text. */

import type { FilePart } from "../api/types";

const DATABASE = "adksim";
const STORE = "files";

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("The browser's storage cannot be opened."));
  });
}

async function runRequest<T>(mode: IDBTransactionMode, start: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await openDatabase();
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const request = start(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error ?? new Error("The browser's storage is full."));
    });
  } finally {
    database.close();
  }
}

/** The files that were stored under a key. */
export async function readFiles(key: string): Promise<FilePart[]> {
  return ((await runRequest("readonly", (store) => store.get(key))) as FilePart[] | undefined) ?? [];
}

/** Stores files under a key, or removes the key if there are none. */
export async function writeFiles(key: string, files: FilePart[]): Promise<void> {
  if (files.length) await runRequest("readwrite", (store) => store.put(files, key));
  else await runRequest("readwrite", (store) => store.delete(key));
}
