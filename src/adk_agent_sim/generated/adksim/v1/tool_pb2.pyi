from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Type(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TYPE_UNSPECIFIED: _ClassVar[Type]
    STRING: _ClassVar[Type]
    NUMBER: _ClassVar[Type]
    INTEGER: _ClassVar[Type]
    BOOLEAN: _ClassVar[Type]
    ARRAY: _ClassVar[Type]
    OBJECT: _ClassVar[Type]
    NULL: _ClassVar[Type]
TYPE_UNSPECIFIED: Type
STRING: Type
NUMBER: Type
INTEGER: Type
BOOLEAN: Type
ARRAY: Type
OBJECT: Type
NULL: Type

class Tool(_message.Message):
    __slots__ = ("function_declarations", "google_search_retrieval", "code_execution", "google_search", "computer_use", "url_context", "file_search", "google_maps")
    class GoogleSearch(_message.Message):
        __slots__ = ("time_range_filter",)
        TIME_RANGE_FILTER_FIELD_NUMBER: _ClassVar[int]
        time_range_filter: Interval
        def __init__(self, time_range_filter: _Optional[_Union[Interval, _Mapping]] = ...) -> None: ...
    class ComputerUse(_message.Message):
        __slots__ = ("environment", "excluded_predefined_functions")
        class Environment(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
            __slots__ = ()
            ENVIRONMENT_UNSPECIFIED: _ClassVar[Tool.ComputerUse.Environment]
            ENVIRONMENT_BROWSER: _ClassVar[Tool.ComputerUse.Environment]
        ENVIRONMENT_UNSPECIFIED: Tool.ComputerUse.Environment
        ENVIRONMENT_BROWSER: Tool.ComputerUse.Environment
        ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
        EXCLUDED_PREDEFINED_FUNCTIONS_FIELD_NUMBER: _ClassVar[int]
        environment: Tool.ComputerUse.Environment
        excluded_predefined_functions: _containers.RepeatedScalarFieldContainer[str]
        def __init__(self, environment: _Optional[_Union[Tool.ComputerUse.Environment, str]] = ..., excluded_predefined_functions: _Optional[_Iterable[str]] = ...) -> None: ...
    FUNCTION_DECLARATIONS_FIELD_NUMBER: _ClassVar[int]
    GOOGLE_SEARCH_RETRIEVAL_FIELD_NUMBER: _ClassVar[int]
    CODE_EXECUTION_FIELD_NUMBER: _ClassVar[int]
    GOOGLE_SEARCH_FIELD_NUMBER: _ClassVar[int]
    COMPUTER_USE_FIELD_NUMBER: _ClassVar[int]
    URL_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    FILE_SEARCH_FIELD_NUMBER: _ClassVar[int]
    GOOGLE_MAPS_FIELD_NUMBER: _ClassVar[int]
    function_declarations: _containers.RepeatedCompositeFieldContainer[FunctionDeclaration]
    google_search_retrieval: GoogleSearchRetrieval
    code_execution: CodeExecution
    google_search: Tool.GoogleSearch
    computer_use: Tool.ComputerUse
    url_context: UrlContext
    file_search: FileSearch
    google_maps: GoogleMaps
    def __init__(self, function_declarations: _Optional[_Iterable[_Union[FunctionDeclaration, _Mapping]]] = ..., google_search_retrieval: _Optional[_Union[GoogleSearchRetrieval, _Mapping]] = ..., code_execution: _Optional[_Union[CodeExecution, _Mapping]] = ..., google_search: _Optional[_Union[Tool.GoogleSearch, _Mapping]] = ..., computer_use: _Optional[_Union[Tool.ComputerUse, _Mapping]] = ..., url_context: _Optional[_Union[UrlContext, _Mapping]] = ..., file_search: _Optional[_Union[FileSearch, _Mapping]] = ..., google_maps: _Optional[_Union[GoogleMaps, _Mapping]] = ...) -> None: ...

class FunctionDeclaration(_message.Message):
    __slots__ = ("name", "description", "parameters", "response", "behavior", "parameters_json_schema", "response_json_schema")
    class Behavior(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        UNSPECIFIED: _ClassVar[FunctionDeclaration.Behavior]
        BLOCKING: _ClassVar[FunctionDeclaration.Behavior]
        NON_BLOCKING: _ClassVar[FunctionDeclaration.Behavior]
    UNSPECIFIED: FunctionDeclaration.Behavior
    BLOCKING: FunctionDeclaration.Behavior
    NON_BLOCKING: FunctionDeclaration.Behavior
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_FIELD_NUMBER: _ClassVar[int]
    BEHAVIOR_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_JSON_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_JSON_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    parameters: Schema
    response: Schema
    behavior: FunctionDeclaration.Behavior
    parameters_json_schema: _struct_pb2.Value
    response_json_schema: _struct_pb2.Value
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., parameters: _Optional[_Union[Schema, _Mapping]] = ..., response: _Optional[_Union[Schema, _Mapping]] = ..., behavior: _Optional[_Union[FunctionDeclaration.Behavior, str]] = ..., parameters_json_schema: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., response_json_schema: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ...) -> None: ...

class Schema(_message.Message):
    __slots__ = ("type", "format", "description", "nullable", "enum", "items", "properties", "required", "min_properties", "max_properties", "minimum", "maximum", "min_length", "max_length", "pattern", "example", "any_of", "max_items", "min_items", "property_ordering", "title", "default")
    class PropertiesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: Schema
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[Schema, _Mapping]] = ...) -> None: ...
    TYPE_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    NULLABLE_FIELD_NUMBER: _ClassVar[int]
    ENUM_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    REQUIRED_FIELD_NUMBER: _ClassVar[int]
    MIN_PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    MAX_PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_FIELD_NUMBER: _ClassVar[int]
    MIN_LENGTH_FIELD_NUMBER: _ClassVar[int]
    MAX_LENGTH_FIELD_NUMBER: _ClassVar[int]
    PATTERN_FIELD_NUMBER: _ClassVar[int]
    EXAMPLE_FIELD_NUMBER: _ClassVar[int]
    ANY_OF_FIELD_NUMBER: _ClassVar[int]
    MAX_ITEMS_FIELD_NUMBER: _ClassVar[int]
    MIN_ITEMS_FIELD_NUMBER: _ClassVar[int]
    PROPERTY_ORDERING_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_FIELD_NUMBER: _ClassVar[int]
    type: Type
    format: str
    description: str
    nullable: bool
    enum: _containers.RepeatedScalarFieldContainer[str]
    items: Schema
    properties: _containers.MessageMap[str, Schema]
    required: _containers.RepeatedScalarFieldContainer[str]
    min_properties: int
    max_properties: int
    minimum: float
    maximum: float
    min_length: int
    max_length: int
    pattern: str
    example: _struct_pb2.Value
    any_of: _containers.RepeatedCompositeFieldContainer[Schema]
    max_items: int
    min_items: int
    property_ordering: _containers.RepeatedScalarFieldContainer[str]
    title: str
    default: _struct_pb2.Value
    def __init__(self, type: _Optional[_Union[Type, str]] = ..., format: _Optional[str] = ..., description: _Optional[str] = ..., nullable: bool = ..., enum: _Optional[_Iterable[str]] = ..., items: _Optional[_Union[Schema, _Mapping]] = ..., properties: _Optional[_Mapping[str, Schema]] = ..., required: _Optional[_Iterable[str]] = ..., min_properties: _Optional[int] = ..., max_properties: _Optional[int] = ..., minimum: _Optional[float] = ..., maximum: _Optional[float] = ..., min_length: _Optional[int] = ..., max_length: _Optional[int] = ..., pattern: _Optional[str] = ..., example: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., any_of: _Optional[_Iterable[_Union[Schema, _Mapping]]] = ..., max_items: _Optional[int] = ..., min_items: _Optional[int] = ..., property_ordering: _Optional[_Iterable[str]] = ..., title: _Optional[str] = ..., default: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ...) -> None: ...

class GoogleSearchRetrieval(_message.Message):
    __slots__ = ("dynamic_retrieval_config",)
    DYNAMIC_RETRIEVAL_CONFIG_FIELD_NUMBER: _ClassVar[int]
    dynamic_retrieval_config: DynamicRetrievalConfig
    def __init__(self, dynamic_retrieval_config: _Optional[_Union[DynamicRetrievalConfig, _Mapping]] = ...) -> None: ...

class DynamicRetrievalConfig(_message.Message):
    __slots__ = ("mode", "dynamic_threshold")
    class Mode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        MODE_UNSPECIFIED: _ClassVar[DynamicRetrievalConfig.Mode]
        MODE_DYNAMIC: _ClassVar[DynamicRetrievalConfig.Mode]
    MODE_UNSPECIFIED: DynamicRetrievalConfig.Mode
    MODE_DYNAMIC: DynamicRetrievalConfig.Mode
    MODE_FIELD_NUMBER: _ClassVar[int]
    DYNAMIC_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    mode: DynamicRetrievalConfig.Mode
    dynamic_threshold: float
    def __init__(self, mode: _Optional[_Union[DynamicRetrievalConfig.Mode, str]] = ..., dynamic_threshold: _Optional[float] = ...) -> None: ...

class CodeExecution(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class UrlContext(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class FileSearch(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GoogleMaps(_message.Message):
    __slots__ = ("enable_widget",)
    ENABLE_WIDGET_FIELD_NUMBER: _ClassVar[int]
    enable_widget: bool
    def __init__(self, enable_widget: bool = ...) -> None: ...

class Interval(_message.Message):
    __slots__ = ("start_time", "end_time")
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    start_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    def __init__(self, start_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., end_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ToolConfig(_message.Message):
    __slots__ = ("function_calling_config", "retrieval_config")
    FUNCTION_CALLING_CONFIG_FIELD_NUMBER: _ClassVar[int]
    RETRIEVAL_CONFIG_FIELD_NUMBER: _ClassVar[int]
    function_calling_config: FunctionCallingConfig
    retrieval_config: RetrievalConfig
    def __init__(self, function_calling_config: _Optional[_Union[FunctionCallingConfig, _Mapping]] = ..., retrieval_config: _Optional[_Union[RetrievalConfig, _Mapping]] = ...) -> None: ...

class FunctionCallingConfig(_message.Message):
    __slots__ = ("mode", "allowed_function_names")
    class Mode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        MODE_UNSPECIFIED: _ClassVar[FunctionCallingConfig.Mode]
        AUTO: _ClassVar[FunctionCallingConfig.Mode]
        ANY: _ClassVar[FunctionCallingConfig.Mode]
        NONE: _ClassVar[FunctionCallingConfig.Mode]
        VALIDATED: _ClassVar[FunctionCallingConfig.Mode]
    MODE_UNSPECIFIED: FunctionCallingConfig.Mode
    AUTO: FunctionCallingConfig.Mode
    ANY: FunctionCallingConfig.Mode
    NONE: FunctionCallingConfig.Mode
    VALIDATED: FunctionCallingConfig.Mode
    MODE_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_FUNCTION_NAMES_FIELD_NUMBER: _ClassVar[int]
    mode: FunctionCallingConfig.Mode
    allowed_function_names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, mode: _Optional[_Union[FunctionCallingConfig.Mode, str]] = ..., allowed_function_names: _Optional[_Iterable[str]] = ...) -> None: ...

class RetrievalConfig(_message.Message):
    __slots__ = ("lat_lng", "language_code")
    LAT_LNG_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_CODE_FIELD_NUMBER: _ClassVar[int]
    lat_lng: LatLng
    language_code: str
    def __init__(self, lat_lng: _Optional[_Union[LatLng, _Mapping]] = ..., language_code: _Optional[str] = ...) -> None: ...

class LatLng(_message.Message):
    __slots__ = ("latitude", "longitude")
    LATITUDE_FIELD_NUMBER: _ClassVar[int]
    LONGITUDE_FIELD_NUMBER: _ClassVar[int]
    latitude: float
    longitude: float
    def __init__(self, latitude: _Optional[float] = ..., longitude: _Optional[float] = ...) -> None: ...
