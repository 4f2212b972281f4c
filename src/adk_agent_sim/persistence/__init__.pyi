from .database_store import open_store as open_store
