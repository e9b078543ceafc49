// SPDX-License-Identifier: Apache-2.0

/// The identifiers of LV2 and its extensions that are used.
enum LV2URI {
    private static let extensions = "http://lv2plug.in/ns/ext/"
    private static let core = "http://lv2plug.in/ns/lv2core#"
    private static let bufferSize = extensions + "buf-size#"
    private static let atom = extensions + "atom#"

    static let pluginType = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
    /// The beginning of the identifiers of plug-in classes, which end with `Plugin`.
    static let classPrefix = core
    static let hardRTCapable = core + "hardRTCapable"

    static let inputPort = core + "InputPort"
    static let outputPort = core + "OutputPort"
    static let audioPort = core + "AudioPort"
    static let controlPort = core + "ControlPort"
    static let atomPort = atom + "AtomPort"
    static let port = core + "Port"

    static let connectionOptional = core + "connectionOptional"
    static let toggled = core + "toggled"
    static let integer = core + "integer"
    static let enumeration = core + "enumeration"
    static let sampleRate = core + "sampleRate"
    static let unit = "http://lv2plug.in/ns/extensions/units#unit"
    static let unitSymbol = "http://lv2plug.in/ns/extensions/units#symbol"
    static let minimumSize = extensions + "resize-port#minimumSize"

    static let map = extensions + "urid#map"
    static let unmap = extensions + "urid#unmap"
    static let options = extensions + "options#options"
    static let requiredOption = extensions + "options#requiredOption"
    static let boundedBlockLength = bufferSize + "boundedBlockLength"
    static let worker = extensions + "worker#schedule"

    static let minimumBlockLength = bufferSize + "minBlockLength"
    static let maximumBlockLength = bufferSize + "maxBlockLength"
    static let nominalBlockLength = bufferSize + "nominalBlockLength"
    static let sampleRateOption = extensions + "parameters#sampleRate"

    static let atomInt = atom + "Int"
    static let atomFloat = atom + "Float"
    static let atomSequence = atom + "Sequence"
    static let atomChunk = atom + "Chunk"

    /// The features that a plug-in may require. The last three ask nothing of a host that processes
    /// audio as it is heard, from one buffer into another.
    static let supportedFeatures: Set<String> = [
        map, unmap, options, boundedBlockLength, hardRTCapable, core + "inPlaceBroken",
        core + "isLive",
    ]

    /// The options that a plug-in may require.
    static let supportedOptions: Set<String> = [
        minimumBlockLength, maximumBlockLength, nominalBlockLength, sampleRateOption,
    ]

    /// Option for a world: the folders in which it looks for plug-ins.
    static let searchPath = "http://drobilla.net/ns/lilv#lv2-path"
}
