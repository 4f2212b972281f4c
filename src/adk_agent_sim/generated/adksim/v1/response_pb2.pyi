from adk_agent_sim.generated.adksim.v1 import content_pb2 as _content_pb2
from adk_agent_sim.generated.adksim.v1 import grounding_pb2 as _grounding_pb2
from adk_agent_sim.generated.adksim.v1 import safety_pb2 as _safety_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GenerateContentResponse(_message.Message):
    __slots__ = ("candidates", "prompt_feedback", "usage_metadata", "model_version", "response_id")
    class PromptFeedback(_message.Message):
        __slots__ = ("block_reason", "safety_ratings")
        class BlockReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
            __slots__ = ()
            BLOCK_REASON_UNSPECIFIED: _ClassVar[GenerateContentResponse.PromptFeedback.BlockReason]
            SAFETY: _ClassVar[GenerateContentResponse.PromptFeedback.BlockReason]
            OTHER: _ClassVar[GenerateContentResponse.PromptFeedback.BlockReason]
            BLOCKLIST: _ClassVar[GenerateContentResponse.PromptFeedback.BlockReason]
            PROHIBITED_CONTENT: _ClassVar[GenerateContentResponse.PromptFeedback.BlockReason]
            IMAGE_SAFETY: _ClassVar[GenerateContentResponse.PromptFeedback.BlockReason]
        BLOCK_REASON_UNSPECIFIED: GenerateContentResponse.PromptFeedback.BlockReason
        SAFETY: GenerateContentResponse.PromptFeedback.BlockReason
        OTHER: GenerateContentResponse.PromptFeedback.BlockReason
        BLOCKLIST: GenerateContentResponse.PromptFeedback.BlockReason
        PROHIBITED_CONTENT: GenerateContentResponse.PromptFeedback.BlockReason
        IMAGE_SAFETY: GenerateContentResponse.PromptFeedback.BlockReason
        BLOCK_REASON_FIELD_NUMBER: _ClassVar[int]
        SAFETY_RATINGS_FIELD_NUMBER: _ClassVar[int]
        block_reason: GenerateContentResponse.PromptFeedback.BlockReason
        safety_ratings: _containers.RepeatedCompositeFieldContainer[_safety_pb2.SafetyRating]
        def __init__(self, block_reason: _Optional[_Union[GenerateContentResponse.PromptFeedback.BlockReason, str]] = ..., safety_ratings: _Optional[_Iterable[_Union[_safety_pb2.SafetyRating, _Mapping]]] = ...) -> None: ...
    class UsageMetadata(_message.Message):
        __slots__ = ("prompt_token_count", "candidates_token_count", "total_token_count", "cached_content_token_count", "prompt_tokens_details", "cache_tokens_details", "candidates_tokens_details", "tool_use_prompt_token_count", "tool_use_prompt_tokens_details", "thoughts_token_count")
        PROMPT_TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
        CANDIDATES_TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
        TOTAL_TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
        CACHED_CONTENT_TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
        PROMPT_TOKENS_DETAILS_FIELD_NUMBER: _ClassVar[int]
        CACHE_TOKENS_DETAILS_FIELD_NUMBER: _ClassVar[int]
        CANDIDATES_TOKENS_DETAILS_FIELD_NUMBER: _ClassVar[int]
        TOOL_USE_PROMPT_TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
        TOOL_USE_PROMPT_TOKENS_DETAILS_FIELD_NUMBER: _ClassVar[int]
        THOUGHTS_TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
        prompt_token_count: int
        candidates_token_count: int
        total_token_count: int
        cached_content_token_count: int
        prompt_tokens_details: _containers.RepeatedCompositeFieldContainer[ModalityTokenCount]
        cache_tokens_details: _containers.RepeatedCompositeFieldContainer[ModalityTokenCount]
        candidates_tokens_details: _containers.RepeatedCompositeFieldContainer[ModalityTokenCount]
        tool_use_prompt_token_count: int
        tool_use_prompt_tokens_details: _containers.RepeatedCompositeFieldContainer[ModalityTokenCount]
        thoughts_token_count: int
        def __init__(self, prompt_token_count: _Optional[int] = ..., candidates_token_count: _Optional[int] = ..., total_token_count: _Optional[int] = ..., cached_content_token_count: _Optional[int] = ..., prompt_tokens_details: _Optional[_Iterable[_Union[ModalityTokenCount, _Mapping]]] = ..., cache_tokens_details: _Optional[_Iterable[_Union[ModalityTokenCount, _Mapping]]] = ..., candidates_tokens_details: _Optional[_Iterable[_Union[ModalityTokenCount, _Mapping]]] = ..., tool_use_prompt_token_count: _Optional[int] = ..., tool_use_prompt_tokens_details: _Optional[_Iterable[_Union[ModalityTokenCount, _Mapping]]] = ..., thoughts_token_count: _Optional[int] = ...) -> None: ...
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    PROMPT_FEEDBACK_FIELD_NUMBER: _ClassVar[int]
    USAGE_METADATA_FIELD_NUMBER: _ClassVar[int]
    MODEL_VERSION_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_ID_FIELD_NUMBER: _ClassVar[int]
    candidates: _containers.RepeatedCompositeFieldContainer[Candidate]
    prompt_feedback: GenerateContentResponse.PromptFeedback
    usage_metadata: GenerateContentResponse.UsageMetadata
    model_version: str
    response_id: str
    def __init__(self, candidates: _Optional[_Iterable[_Union[Candidate, _Mapping]]] = ..., prompt_feedback: _Optional[_Union[GenerateContentResponse.PromptFeedback, _Mapping]] = ..., usage_metadata: _Optional[_Union[GenerateContentResponse.UsageMetadata, _Mapping]] = ..., model_version: _Optional[str] = ..., response_id: _Optional[str] = ...) -> None: ...

class Candidate(_message.Message):
    __slots__ = ("content", "finish_reason", "index", "finish_message", "safety_ratings", "citation_metadata", "token_count", "grounding_metadata", "avg_logprobs", "logprobs_result", "url_context_metadata")
    class FinishReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        FINISH_REASON_UNSPECIFIED: _ClassVar[Candidate.FinishReason]
        STOP: _ClassVar[Candidate.FinishReason]
        MAX_TOKENS: _ClassVar[Candidate.FinishReason]
        SAFETY: _ClassVar[Candidate.FinishReason]
        RECITATION: _ClassVar[Candidate.FinishReason]
        OTHER: _ClassVar[Candidate.FinishReason]
        LANGUAGE: _ClassVar[Candidate.FinishReason]
        BLOCKLIST: _ClassVar[Candidate.FinishReason]
        PROHIBITED_CONTENT: _ClassVar[Candidate.FinishReason]
        SPII: _ClassVar[Candidate.FinishReason]
        MALFORMED_FUNCTION_CALL: _ClassVar[Candidate.FinishReason]
        IMAGE_SAFETY: _ClassVar[Candidate.FinishReason]
        UNEXPECTED_TOOL_CALL: _ClassVar[Candidate.FinishReason]
        TOO_MANY_TOOL_CALLS: _ClassVar[Candidate.FinishReason]
        IMAGE_PROHIBITED_CONTENT: _ClassVar[Candidate.FinishReason]
        IMAGE_OTHER: _ClassVar[Candidate.FinishReason]
        NO_IMAGE: _ClassVar[Candidate.FinishReason]
        IMAGE_RECITATION: _ClassVar[Candidate.FinishReason]
    FINISH_REASON_UNSPECIFIED: Candidate.FinishReason
    STOP: Candidate.FinishReason
    MAX_TOKENS: Candidate.FinishReason
    SAFETY: Candidate.FinishReason
    RECITATION: Candidate.FinishReason
    OTHER: Candidate.FinishReason
    LANGUAGE: Candidate.FinishReason
    BLOCKLIST: Candidate.FinishReason
    PROHIBITED_CONTENT: Candidate.FinishReason
    SPII: Candidate.FinishReason
    MALFORMED_FUNCTION_CALL: Candidate.FinishReason
    IMAGE_SAFETY: Candidate.FinishReason
    UNEXPECTED_TOOL_CALL: Candidate.FinishReason
    TOO_MANY_TOOL_CALLS: Candidate.FinishReason
    IMAGE_PROHIBITED_CONTENT: Candidate.FinishReason
    IMAGE_OTHER: Candidate.FinishReason
    NO_IMAGE: Candidate.FinishReason
    IMAGE_RECITATION: Candidate.FinishReason
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    FINISH_REASON_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    FINISH_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    SAFETY_RATINGS_FIELD_NUMBER: _ClassVar[int]
    CITATION_METADATA_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    GROUNDING_METADATA_FIELD_NUMBER: _ClassVar[int]
    AVG_LOGPROBS_FIELD_NUMBER: _ClassVar[int]
    LOGPROBS_RESULT_FIELD_NUMBER: _ClassVar[int]
    URL_CONTEXT_METADATA_FIELD_NUMBER: _ClassVar[int]
    content: _content_pb2.Content
    finish_reason: Candidate.FinishReason
    index: int
    finish_message: str
    safety_ratings: _containers.RepeatedCompositeFieldContainer[_safety_pb2.SafetyRating]
    citation_metadata: _grounding_pb2.CitationMetadata
    token_count: int
    grounding_metadata: _grounding_pb2.GroundingMetadata
    avg_logprobs: float
    logprobs_result: LogprobsResult
    url_context_metadata: _grounding_pb2.UrlContextMetadata
    def __init__(self, content: _Optional[_Union[_content_pb2.Content, _Mapping]] = ..., finish_reason: _Optional[_Union[Candidate.FinishReason, str]] = ..., index: _Optional[int] = ..., finish_message: _Optional[str] = ..., safety_ratings: _Optional[_Iterable[_Union[_safety_pb2.SafetyRating, _Mapping]]] = ..., citation_metadata: _Optional[_Union[_grounding_pb2.CitationMetadata, _Mapping]] = ..., token_count: _Optional[int] = ..., grounding_metadata: _Optional[_Union[_grounding_pb2.GroundingMetadata, _Mapping]] = ..., avg_logprobs: _Optional[float] = ..., logprobs_result: _Optional[_Union[LogprobsResult, _Mapping]] = ..., url_context_metadata: _Optional[_Union[_grounding_pb2.UrlContextMetadata, _Mapping]] = ...) -> None: ...

class ModalityTokenCount(_message.Message):
    __slots__ = ("modality", "token_count")
    MODALITY_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    modality: _content_pb2.Modality
    token_count: int
    def __init__(self, modality: _Optional[_Union[_content_pb2.Modality, str]] = ..., token_count: _Optional[int] = ...) -> None: ...

class LogprobsResult(_message.Message):
    __slots__ = ("top_candidates", "chosen_candidates", "log_probability_sum")
    class Candidate(_message.Message):
        __slots__ = ("token", "log_probability", "token_id")
        TOKEN_FIELD_NUMBER: _ClassVar[int]
        LOG_PROBABILITY_FIELD_NUMBER: _ClassVar[int]
        TOKEN_ID_FIELD_NUMBER: _ClassVar[int]
        token: str
        log_probability: float
        token_id: int
        def __init__(self, token: _Optional[str] = ..., log_probability: _Optional[float] = ..., token_id: _Optional[int] = ...) -> None: ...
    class TopCandidates(_message.Message):
        __slots__ = ("candidates",)
        CANDIDATES_FIELD_NUMBER: _ClassVar[int]
        candidates: _containers.RepeatedCompositeFieldContainer[LogprobsResult.Candidate]
        def __init__(self, candidates: _Optional[_Iterable[_Union[LogprobsResult.Candidate, _Mapping]]] = ...) -> None: ...
    TOP_CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    CHOSEN_CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    LOG_PROBABILITY_SUM_FIELD_NUMBER: _ClassVar[int]
    top_candidates: _containers.RepeatedCompositeFieldContainer[LogprobsResult.TopCandidates]
    chosen_candidates: _containers.RepeatedCompositeFieldContainer[LogprobsResult.Candidate]
    log_probability_sum: float
    def __init__(self, top_candidates: _Optional[_Iterable[_Union[LogprobsResult.TopCandidates, _Mapping]]] = ..., chosen_candidates: _Optional[_Iterable[_Union[LogprobsResult.Candidate, _Mapping]]] = ..., log_probability_sum: _Optional[float] = ...) -> None: ...
