"""In-memory file system: the file tree, the base class of the file system apps, document text and attachments.
Never accesses a disk.
"""
