// SPDX-License-Identifier: Apache-2.0

import CPlayheadLV2

/// Reads the description of a plug-in from Lilv.
///
/// - Concurrency: under the lock of the world.
struct LV2PluginReader {
    private let world: LV2World
    private let lilv: ph_lilv
    private let plugin: OpaquePointer
    private var parameters: [LV2Parameter] = []
    private var ports: [LV2Port] = []
    private var inputCount = 0
    private var outputCount = 0
    private var controlOutputCount = 0
    private var latencyOutput: Int?

    init(_ world: LV2World, _ plugin: OpaquePointer) {
        self.world = world
        lilv = world.lilv
        self.plugin = plugin
    }

    consuming func read() -> LV2Plugin {
        let uri = world.text(lilv.plugin_get_uri(plugin)) ?? ""
        let latencyIndex =
            lilv.plugin_has_latency(plugin) ? lilv.plugin_get_latency_port_index(plugin) : nil
        for index in 0..<lilv.plugin_get_num_ports(plugin) {
            let port = readPort(index)
            ports.append(port)
            if case .controlOutput(let output) = port, index == latencyIndex {
                latencyOutput = output
            }
        }
        return LV2Plugin(
            uri: uri, name: world.consume(lilv.plugin_get_name(plugin), world.text) ?? uri,
            className: className,
            author: world.consume(lilv.plugin_get_author_name(plugin), world.text),
            inputChannelCount: inputCount, outputChannelCount: outputCount,
            reportsLatency: latencyOutput != nil,
            isHardRealTimeCapable: lilv.plugin_has_feature(
                plugin, world.node(LV2URI.hardRTCapable)),
            parameters: parameters, ports: ports, latencyOutput: latencyOutput,
            requirements: requirements, world: world, handle: plugin)
    }

    /// The class of the plug-in, by the identifier, because the labels of classes are often not
    /// installed.
    private var className: String {
        let suffix = "Plugin"
        let types = world.consume(
            lilv.plugin_get_value(plugin, world.node(LV2URI.pluginType)))
        let names = types.filter { $0.hasPrefix(LV2URI.classPrefix) && $0.hasSuffix(suffix) }
            .map { $0.dropFirst(LV2URI.classPrefix.count).dropLast(suffix.count) }
        return names.filter { !$0.isEmpty }.min().map { String($0) } ?? suffix
    }

    /// The identifiers of features and options without which the plug-in does not run.
    private var requirements: LV2Requirements {
        let features = world.consume(lilv.plugin_get_required_features(plugin))
        let options = world.consume(
            lilv.plugin_get_value(plugin, world.node(LV2URI.requiredOption)))
        return LV2Requirements(features: features.sorted(), options: options.sorted())
    }

    // MARK: - Ports

    private mutating func readPort(_ index: UInt32) -> LV2Port {
        guard let port = lilv.plugin_get_port_by_index(plugin, index) else {
            return .unsupported(symbol: "\(index)", type: "unknown")
        }
        let isInput = isA(port, LV2URI.inputPort)
        if isInput || isA(port, LV2URI.outputPort) {
            if isA(port, LV2URI.audioPort) { return audioPort(isInput: isInput) }
            if isA(port, LV2URI.controlPort) { return controlPort(port, isInput: isInput) }
            if isA(port, LV2URI.atomPort) { return eventPort(port, isInput: isInput) }
        }
        if has(port, LV2URI.connectionOptional) { return .unused }
        return .unsupported(symbol: symbol(port), type: type(port))
    }

    private mutating func audioPort(isInput: Bool) -> LV2Port {
        if isInput {
            inputCount += 1
            return .audioInput(inputCount - 1)
        }
        outputCount += 1
        return .audioOutput(outputCount - 1)
    }

    private mutating func controlPort(_ port: OpaquePointer, isInput: Bool) -> LV2Port {
        if isInput {
            parameters.append(parameter(port))
            return .parameter(parameters.count - 1)
        }
        controlOutputCount += 1
        return .controlOutput(controlOutputCount - 1)
    }

    private func eventPort(_ port: OpaquePointer, isInput: Bool) -> LV2Port {
        if isInput { return .eventInput }
        let size = world.consume(
            lilv.port_get(plugin, port, world.node(LV2URI.minimumSize)), world.number)
        let wanted = size.map { Int($0.clamped(to: 0...Float(Self.largestEvents))) } ?? 0
        return .eventOutput(capacity: max(Self.smallestEvents, wanted))
    }

    /// The sizes of the buffers of discarded events, in bytes.
    private static let smallestEvents = 4096
    private static let largestEvents = 1 << 20

    // MARK: - Parameters

    private func parameter(_ port: OpaquePointer) -> LV2Parameter {
        let isToggle = has(port, LV2URI.toggled)
        var (initial, least, greatest): (OpaquePointer?, OpaquePointer?, OpaquePointer?)
        lilv.port_get_range(plugin, port, &initial, &least, &greatest)
        let minimum = world.consume(least, world.number) ?? (isToggle ? 0 : -.infinity)
        let maximum = world.consume(greatest, world.number) ?? (isToggle ? 1 : .infinity)
        let value = world.consume(initial, world.number) ?? (minimum.isFinite ? minimum : 0)
        return LV2Parameter(
            symbol: symbol(port),
            name: world.consume(lilv.port_get_name(plugin, port), world.text) ?? symbol(port),
            minimum: minimum, maximum: maximum, defaultValue: value, unit: unit(port),
            isToggle: isToggle, isInteger: has(port, LV2URI.integer),
            isEnumeration: has(port, LV2URI.enumeration),
            isRelativeToSampleRate: has(port, LV2URI.sampleRate), scalePoints: scalePoints(port))
    }

    private func scalePoints(_ port: OpaquePointer) -> [LV2Parameter.ScalePoint] {
        guard let points = lilv.port_get_scale_points(plugin, port) else { return [] }
        defer { lilv.scale_points_free(points) }
        var result: [LV2Parameter.ScalePoint] = []
        var position = lilv.scale_points_begin(points)
        while !lilv.scale_points_is_end(points, position) {
            if let point = lilv.scale_points_get(points, position),
                let value = world.number(lilv.scale_point_get_value(point)),
                let label = world.text(lilv.scale_point_get_label(point))
            {
                result.append(LV2Parameter.ScalePoint(value: value, label: label))
            }
            position = lilv.scale_points_next(points, position)
        }
        return result.sorted { ($0.value, $0.label) < ($1.value, $1.label) }
    }

    private func unit(_ port: OpaquePointer) -> String? {
        world.consume(lilv.port_get(plugin, port, world.node(LV2URI.unit))) { node in
            guard let node else { return nil }
            // The symbols of the standard units are often not installed.
            let name = world.text(node)?.split(separator: "#").last.map { String($0) }
            let symbol = world.text(of: LV2URI.unitSymbol, of: node)
            return (symbol ?? name.map { Self.symbols[$0] ?? $0 }).flatMap { $0.isEmpty ? nil : $0 }
        }
    }

    private static let symbols = [
        "cent": "ct", "coef": "", "db": "dB", "degree": "deg", "hz": "Hz", "khz": "kHz",
        "mhz": "MHz", "inch": "in", "midiNote": "note", "mile": "mi", "pc": "%",
        "semitone12TET": "semi",
    ]

    // MARK: - Properties

    private func symbol(_ port: OpaquePointer) -> String {
        world.text(lilv.port_get_symbol(plugin, port)) ?? ""
    }

    private func isA(_ port: OpaquePointer, _ type: String) -> Bool {
        lilv.port_is_a(plugin, port, world.node(type))
    }

    private func has(_ port: OpaquePointer, _ property: String) -> Bool {
        lilv.port_has_property(plugin, port, world.node(property))
    }

    /// The type of a port besides input or output.
    private func type(_ port: OpaquePointer) -> String {
        let general = [LV2URI.inputPort, LV2URI.outputPort, LV2URI.port]
        let types = world.consume(
            lilv.port_get_value(plugin, port, world.node(LV2URI.pluginType)))
        return types.filter { !general.contains($0) }.min() ?? "unknown"
    }
}

extension Float {
    fileprivate func clamped(to range: ClosedRange<Float>) -> Float {
        min(max(self, range.lowerBound), range.upperBound)
    }
}
