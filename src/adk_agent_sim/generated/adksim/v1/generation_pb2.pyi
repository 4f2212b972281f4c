from adk_agent_sim.generated.adksim.v1 import content_pb2 as _content_pb2
from adk_agent_sim.generated.adksim.v1 import safety_pb2 as _safety_pb2
from adk_agent_sim.generated.adksim.v1 import tool_pb2 as _tool_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GenerateContentRequest(_message.Message):
    __slots__ = ("model", "contents", "safety_settings", "generation_config", "tools", "tool_config", "system_instruction", "cached_content")
    MODEL_FIELD_NUMBER: _ClassVar[int]
    CONTENTS_FIELD_NUMBER: _ClassVar[int]
    SAFETY_SETTINGS_FIELD_NUMBER: _ClassVar[int]
    GENERATION_CONFIG_FIELD_NUMBER: _ClassVar[int]
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    TOOL_CONFIG_FIELD_NUMBER: _ClassVar[int]
    SYSTEM_INSTRUCTION_FIELD_NUMBER: _ClassVar[int]
    CACHED_CONTENT_FIELD_NUMBER: _ClassVar[int]
    model: str
    contents: _containers.RepeatedCompositeFieldContainer[_content_pb2.Content]
    safety_settings: _containers.RepeatedCompositeFieldContainer[_safety_pb2.SafetySetting]
    generation_config: GenerationConfig
    tools: _containers.RepeatedCompositeFieldContainer[_tool_pb2.Tool]
    tool_config: _tool_pb2.ToolConfig
    system_instruction: _content_pb2.Content
    cached_content: str
    def __init__(self, model: _Optional[str] = ..., contents: _Optional[_Iterable[_Union[_content_pb2.Content, _Mapping]]] = ..., safety_settings: _Optional[_Iterable[_Union[_safety_pb2.SafetySetting, _Mapping]]] = ..., generation_config: _Optional[_Union[GenerationConfig, _Mapping]] = ..., tools: _Optional[_Iterable[_Union[_tool_pb2.Tool, _Mapping]]] = ..., tool_config: _Optional[_Union[_tool_pb2.ToolConfig, _Mapping]] = ..., system_instruction: _Optional[_Union[_content_pb2.Content, _Mapping]] = ..., cached_content: _Optional[str] = ...) -> None: ...

class GenerationConfig(_message.Message):
    __slots__ = ("candidate_count", "stop_sequences", "max_output_tokens", "temperature", "top_p", "top_k", "seed", "response_mime_type", "response_schema", "presence_penalty", "frequency_penalty", "response_logprobs", "logprobs", "enable_enhanced_civic_answers", "response_modalities", "speech_config", "thinking_config", "media_resolution", "response_json_schema", "image_config")
    class Modality(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        MODALITY_UNSPECIFIED: _ClassVar[GenerationConfig.Modality]
        TEXT: _ClassVar[GenerationConfig.Modality]
        IMAGE: _ClassVar[GenerationConfig.Modality]
        AUDIO: _ClassVar[GenerationConfig.Modality]
    MODALITY_UNSPECIFIED: GenerationConfig.Modality
    TEXT: GenerationConfig.Modality
    IMAGE: GenerationConfig.Modality
    AUDIO: GenerationConfig.Modality
    class MediaResolution(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        MEDIA_RESOLUTION_UNSPECIFIED: _ClassVar[GenerationConfig.MediaResolution]
        MEDIA_RESOLUTION_LOW: _ClassVar[GenerationConfig.MediaResolution]
        MEDIA_RESOLUTION_MEDIUM: _ClassVar[GenerationConfig.MediaResolution]
        MEDIA_RESOLUTION_HIGH: _ClassVar[GenerationConfig.MediaResolution]
    MEDIA_RESOLUTION_UNSPECIFIED: GenerationConfig.MediaResolution
    MEDIA_RESOLUTION_LOW: GenerationConfig.MediaResolution
    MEDIA_RESOLUTION_MEDIUM: GenerationConfig.MediaResolution
    MEDIA_RESOLUTION_HIGH: GenerationConfig.MediaResolution
    CANDIDATE_COUNT_FIELD_NUMBER: _ClassVar[int]
    STOP_SEQUENCES_FIELD_NUMBER: _ClassVar[int]
    MAX_OUTPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    TEMPERATURE_FIELD_NUMBER: _ClassVar[int]
    TOP_P_FIELD_NUMBER: _ClassVar[int]
    TOP_K_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_MIME_TYPE_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    PRESENCE_PENALTY_FIELD_NUMBER: _ClassVar[int]
    FREQUENCY_PENALTY_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_LOGPROBS_FIELD_NUMBER: _ClassVar[int]
    LOGPROBS_FIELD_NUMBER: _ClassVar[int]
    ENABLE_ENHANCED_CIVIC_ANSWERS_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_MODALITIES_FIELD_NUMBER: _ClassVar[int]
    SPEECH_CONFIG_FIELD_NUMBER: _ClassVar[int]
    THINKING_CONFIG_FIELD_NUMBER: _ClassVar[int]
    MEDIA_RESOLUTION_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_JSON_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    IMAGE_CONFIG_FIELD_NUMBER: _ClassVar[int]
    candidate_count: int
    stop_sequences: _containers.RepeatedScalarFieldContainer[str]
    max_output_tokens: int
    temperature: float
    top_p: float
    top_k: int
    seed: int
    response_mime_type: str
    response_schema: _tool_pb2.Schema
    presence_penalty: float
    frequency_penalty: float
    response_logprobs: bool
    logprobs: int
    enable_enhanced_civic_answers: bool
    response_modalities: _containers.RepeatedScalarFieldContainer[GenerationConfig.Modality]
    speech_config: SpeechConfig
    thinking_config: ThinkingConfig
    media_resolution: GenerationConfig.MediaResolution
    response_json_schema: _struct_pb2.Value
    image_config: ImageConfig
    def __init__(self, candidate_count: _Optional[int] = ..., stop_sequences: _Optional[_Iterable[str]] = ..., max_output_tokens: _Optional[int] = ..., temperature: _Optional[float] = ..., top_p: _Optional[float] = ..., top_k: _Optional[int] = ..., seed: _Optional[int] = ..., response_mime_type: _Optional[str] = ..., response_schema: _Optional[_Union[_tool_pb2.Schema, _Mapping]] = ..., presence_penalty: _Optional[float] = ..., frequency_penalty: _Optional[float] = ..., response_logprobs: bool = ..., logprobs: _Optional[int] = ..., enable_enhanced_civic_answers: bool = ..., response_modalities: _Optional[_Iterable[_Union[GenerationConfig.Modality, str]]] = ..., speech_config: _Optional[_Union[SpeechConfig, _Mapping]] = ..., thinking_config: _Optional[_Union[ThinkingConfig, _Mapping]] = ..., media_resolution: _Optional[_Union[GenerationConfig.MediaResolution, str]] = ..., response_json_schema: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., image_config: _Optional[_Union[ImageConfig, _Mapping]] = ...) -> None: ...

class ThinkingConfig(_message.Message):
    __slots__ = ("include_thoughts", "thinking_budget")
    INCLUDE_THOUGHTS_FIELD_NUMBER: _ClassVar[int]
    THINKING_BUDGET_FIELD_NUMBER: _ClassVar[int]
    include_thoughts: bool
    thinking_budget: int
    def __init__(self, include_thoughts: bool = ..., thinking_budget: _Optional[int] = ...) -> None: ...

class ImageConfig(_message.Message):
    __slots__ = ("aspect_ratio",)
    ASPECT_RATIO_FIELD_NUMBER: _ClassVar[int]
    aspect_ratio: str
    def __init__(self, aspect_ratio: _Optional[str] = ...) -> None: ...

class SpeechConfig(_message.Message):
    __slots__ = ("voice_config", "language_code", "multi_speaker_voice_config")
    VOICE_CONFIG_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_CODE_FIELD_NUMBER: _ClassVar[int]
    MULTI_SPEAKER_VOICE_CONFIG_FIELD_NUMBER: _ClassVar[int]
    voice_config: VoiceConfig
    language_code: str
    multi_speaker_voice_config: MultiSpeakerVoiceConfig
    def __init__(self, voice_config: _Optional[_Union[VoiceConfig, _Mapping]] = ..., language_code: _Optional[str] = ..., multi_speaker_voice_config: _Optional[_Union[MultiSpeakerVoiceConfig, _Mapping]] = ...) -> None: ...

class VoiceConfig(_message.Message):
    __slots__ = ("prebuilt_voice_config",)
    PREBUILT_VOICE_CONFIG_FIELD_NUMBER: _ClassVar[int]
    prebuilt_voice_config: PrebuiltVoiceConfig
    def __init__(self, prebuilt_voice_config: _Optional[_Union[PrebuiltVoiceConfig, _Mapping]] = ...) -> None: ...

class PrebuiltVoiceConfig(_message.Message):
    __slots__ = ("voice_name",)
    VOICE_NAME_FIELD_NUMBER: _ClassVar[int]
    voice_name: str
    def __init__(self, voice_name: _Optional[str] = ...) -> None: ...

class MultiSpeakerVoiceConfig(_message.Message):
    __slots__ = ("speaker_voice_configs",)
    SPEAKER_VOICE_CONFIGS_FIELD_NUMBER: _ClassVar[int]
    speaker_voice_configs: _containers.RepeatedCompositeFieldContainer[SpeakerVoiceConfig]
    def __init__(self, speaker_voice_configs: _Optional[_Iterable[_Union[SpeakerVoiceConfig, _Mapping]]] = ...) -> None: ...

class SpeakerVoiceConfig(_message.Message):
    __slots__ = ("speaker", "voice_config")
    SPEAKER_FIELD_NUMBER: _ClassVar[int]
    VOICE_CONFIG_FIELD_NUMBER: _ClassVar[int]
    speaker: str
    voice_config: VoiceConfig
    def __init__(self, speaker: _Optional[str] = ..., voice_config: _Optional[_Union[VoiceConfig, _Mapping]] = ...) -> None: ...
