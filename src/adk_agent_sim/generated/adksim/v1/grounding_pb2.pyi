from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GroundingMetadata(_message.Message):
    __slots__ = ("search_entry_point", "grounding_chunks", "grounding_supports", "retrieval_metadata", "web_search_queries", "google_maps_widget_context_token")
    SEARCH_ENTRY_POINT_FIELD_NUMBER: _ClassVar[int]
    GROUNDING_CHUNKS_FIELD_NUMBER: _ClassVar[int]
    GROUNDING_SUPPORTS_FIELD_NUMBER: _ClassVar[int]
    RETRIEVAL_METADATA_FIELD_NUMBER: _ClassVar[int]
    WEB_SEARCH_QUERIES_FIELD_NUMBER: _ClassVar[int]
    GOOGLE_MAPS_WIDGET_CONTEXT_TOKEN_FIELD_NUMBER: _ClassVar[int]
    search_entry_point: SearchEntryPoint
    grounding_chunks: _containers.RepeatedCompositeFieldContainer[GroundingChunk]
    grounding_supports: _containers.RepeatedCompositeFieldContainer[GroundingSupport]
    retrieval_metadata: RetrievalMetadata
    web_search_queries: _containers.RepeatedScalarFieldContainer[str]
    google_maps_widget_context_token: str
    def __init__(self, search_entry_point: _Optional[_Union[SearchEntryPoint, _Mapping]] = ..., grounding_chunks: _Optional[_Iterable[_Union[GroundingChunk, _Mapping]]] = ..., grounding_supports: _Optional[_Iterable[_Union[GroundingSupport, _Mapping]]] = ..., retrieval_metadata: _Optional[_Union[RetrievalMetadata, _Mapping]] = ..., web_search_queries: _Optional[_Iterable[str]] = ..., google_maps_widget_context_token: _Optional[str] = ...) -> None: ...

class SearchEntryPoint(_message.Message):
    __slots__ = ("rendered_content", "sdk_blob")
    RENDERED_CONTENT_FIELD_NUMBER: _ClassVar[int]
    SDK_BLOB_FIELD_NUMBER: _ClassVar[int]
    rendered_content: str
    sdk_blob: bytes
    def __init__(self, rendered_content: _Optional[str] = ..., sdk_blob: _Optional[bytes] = ...) -> None: ...

class GroundingChunk(_message.Message):
    __slots__ = ("web", "retrieved_context", "maps")
    class Web(_message.Message):
        __slots__ = ("uri", "title")
        URI_FIELD_NUMBER: _ClassVar[int]
        TITLE_FIELD_NUMBER: _ClassVar[int]
        uri: str
        title: str
        def __init__(self, uri: _Optional[str] = ..., title: _Optional[str] = ...) -> None: ...
    class RetrievedContext(_message.Message):
        __slots__ = ("uri", "title", "text")
        URI_FIELD_NUMBER: _ClassVar[int]
        TITLE_FIELD_NUMBER: _ClassVar[int]
        TEXT_FIELD_NUMBER: _ClassVar[int]
        uri: str
        title: str
        text: str
        def __init__(self, uri: _Optional[str] = ..., title: _Optional[str] = ..., text: _Optional[str] = ...) -> None: ...
    class Maps(_message.Message):
        __slots__ = ("uri", "title", "text", "place_id", "place_answer_sources")
        class PlaceAnswerSources(_message.Message):
            __slots__ = ("review_snippets",)
            class ReviewSnippet(_message.Message):
                __slots__ = ("review_id", "google_maps_uri", "title")
                REVIEW_ID_FIELD_NUMBER: _ClassVar[int]
                GOOGLE_MAPS_URI_FIELD_NUMBER: _ClassVar[int]
                TITLE_FIELD_NUMBER: _ClassVar[int]
                review_id: str
                google_maps_uri: str
                title: str
                def __init__(self, review_id: _Optional[str] = ..., google_maps_uri: _Optional[str] = ..., title: _Optional[str] = ...) -> None: ...
            REVIEW_SNIPPETS_FIELD_NUMBER: _ClassVar[int]
            review_snippets: _containers.RepeatedCompositeFieldContainer[GroundingChunk.Maps.PlaceAnswerSources.ReviewSnippet]
            def __init__(self, review_snippets: _Optional[_Iterable[_Union[GroundingChunk.Maps.PlaceAnswerSources.ReviewSnippet, _Mapping]]] = ...) -> None: ...
        URI_FIELD_NUMBER: _ClassVar[int]
        TITLE_FIELD_NUMBER: _ClassVar[int]
        TEXT_FIELD_NUMBER: _ClassVar[int]
        PLACE_ID_FIELD_NUMBER: _ClassVar[int]
        PLACE_ANSWER_SOURCES_FIELD_NUMBER: _ClassVar[int]
        uri: str
        title: str
        text: str
        place_id: str
        place_answer_sources: GroundingChunk.Maps.PlaceAnswerSources
        def __init__(self, uri: _Optional[str] = ..., title: _Optional[str] = ..., text: _Optional[str] = ..., place_id: _Optional[str] = ..., place_answer_sources: _Optional[_Union[GroundingChunk.Maps.PlaceAnswerSources, _Mapping]] = ...) -> None: ...
    WEB_FIELD_NUMBER: _ClassVar[int]
    RETRIEVED_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    MAPS_FIELD_NUMBER: _ClassVar[int]
    web: GroundingChunk.Web
    retrieved_context: GroundingChunk.RetrievedContext
    maps: GroundingChunk.Maps
    def __init__(self, web: _Optional[_Union[GroundingChunk.Web, _Mapping]] = ..., retrieved_context: _Optional[_Union[GroundingChunk.RetrievedContext, _Mapping]] = ..., maps: _Optional[_Union[GroundingChunk.Maps, _Mapping]] = ...) -> None: ...

class GroundingSupport(_message.Message):
    __slots__ = ("segment", "grounding_chunk_indices", "confidence_scores")
    SEGMENT_FIELD_NUMBER: _ClassVar[int]
    GROUNDING_CHUNK_INDICES_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_SCORES_FIELD_NUMBER: _ClassVar[int]
    segment: Segment
    grounding_chunk_indices: _containers.RepeatedScalarFieldContainer[int]
    confidence_scores: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, segment: _Optional[_Union[Segment, _Mapping]] = ..., grounding_chunk_indices: _Optional[_Iterable[int]] = ..., confidence_scores: _Optional[_Iterable[float]] = ...) -> None: ...

class Segment(_message.Message):
    __slots__ = ("part_index", "start_index", "end_index", "text")
    PART_INDEX_FIELD_NUMBER: _ClassVar[int]
    START_INDEX_FIELD_NUMBER: _ClassVar[int]
    END_INDEX_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    part_index: int
    start_index: int
    end_index: int
    text: str
    def __init__(self, part_index: _Optional[int] = ..., start_index: _Optional[int] = ..., end_index: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...

class RetrievalMetadata(_message.Message):
    __slots__ = ("google_search_dynamic_retrieval_score",)
    GOOGLE_SEARCH_DYNAMIC_RETRIEVAL_SCORE_FIELD_NUMBER: _ClassVar[int]
    google_search_dynamic_retrieval_score: float
    def __init__(self, google_search_dynamic_retrieval_score: _Optional[float] = ...) -> None: ...

class CitationMetadata(_message.Message):
    __slots__ = ("citation_sources",)
    CITATION_SOURCES_FIELD_NUMBER: _ClassVar[int]
    citation_sources: _containers.RepeatedCompositeFieldContainer[CitationSource]
    def __init__(self, citation_sources: _Optional[_Iterable[_Union[CitationSource, _Mapping]]] = ...) -> None: ...

class CitationSource(_message.Message):
    __slots__ = ("start_index", "end_index", "uri", "license")
    START_INDEX_FIELD_NUMBER: _ClassVar[int]
    END_INDEX_FIELD_NUMBER: _ClassVar[int]
    URI_FIELD_NUMBER: _ClassVar[int]
    LICENSE_FIELD_NUMBER: _ClassVar[int]
    start_index: int
    end_index: int
    uri: str
    license: str
    def __init__(self, start_index: _Optional[int] = ..., end_index: _Optional[int] = ..., uri: _Optional[str] = ..., license: _Optional[str] = ...) -> None: ...

class UrlContextMetadata(_message.Message):
    __slots__ = ("url_metadata",)
    URL_METADATA_FIELD_NUMBER: _ClassVar[int]
    url_metadata: _containers.RepeatedCompositeFieldContainer[UrlMetadata]
    def __init__(self, url_metadata: _Optional[_Iterable[_Union[UrlMetadata, _Mapping]]] = ...) -> None: ...

class UrlMetadata(_message.Message):
    __slots__ = ("retrieved_url", "url_retrieval_status")
    class UrlRetrievalStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        URL_RETRIEVAL_STATUS_UNSPECIFIED: _ClassVar[UrlMetadata.UrlRetrievalStatus]
        URL_RETRIEVAL_STATUS_SUCCESS: _ClassVar[UrlMetadata.UrlRetrievalStatus]
        URL_RETRIEVAL_STATUS_ERROR: _ClassVar[UrlMetadata.UrlRetrievalStatus]
        URL_RETRIEVAL_STATUS_PAYWALL: _ClassVar[UrlMetadata.UrlRetrievalStatus]
        URL_RETRIEVAL_STATUS_UNSAFE: _ClassVar[UrlMetadata.UrlRetrievalStatus]
    URL_RETRIEVAL_STATUS_UNSPECIFIED: UrlMetadata.UrlRetrievalStatus
    URL_RETRIEVAL_STATUS_SUCCESS: UrlMetadata.UrlRetrievalStatus
    URL_RETRIEVAL_STATUS_ERROR: UrlMetadata.UrlRetrievalStatus
    URL_RETRIEVAL_STATUS_PAYWALL: UrlMetadata.UrlRetrievalStatus
    URL_RETRIEVAL_STATUS_UNSAFE: UrlMetadata.UrlRetrievalStatus
    RETRIEVED_URL_FIELD_NUMBER: _ClassVar[int]
    URL_RETRIEVAL_STATUS_FIELD_NUMBER: _ClassVar[int]
    retrieved_url: str
    url_retrieval_status: UrlMetadata.UrlRetrievalStatus
    def __init__(self, retrieved_url: _Optional[str] = ..., url_retrieval_status: _Optional[_Union[UrlMetadata.UrlRetrievalStatus, str]] = ...) -> None: ...
