// SPDX-License-Identifier: Apache-2.0

/// An installed LV2 plug-in: a description, from which `LV2Tap` creates a tap.
///
///     for plugin in try LV2Plugin.all() where plugin.unsupportedReason == nil {
///         print(plugin.uri, plugin.name, plugin.parameters.map(\.symbol))
///     }
///
/// Plug-ins are found once per process, by Lilv, in the folders of the environment variable
/// `LV2_PATH`, or in the standard folders, such as `~/.lv2` and `/usr/lib/lv2`.
///
/// - Concurrency: any thread. The first use in a process reads the descriptions of all plug-ins.
/// - Corresponds to: `AVAudioUnitComponent`, found by `AVAudioUnitComponentManager`.
public struct LV2Plugin: @unchecked Sendable {
    // Unchecked: `handle` is used only under the lock of `world`.

    /// The identifier, such as `http://drobilla.net/plugins/mda/Image`.
    public let uri: String
    /// The name that users see.
    public let name: String
    /// The kind of plug-in, such as `Reverb` or `Filter`; `Plugin` if it belongs to no class.
    public let className: String
    /// The name of the author, or nil.
    public let author: String?
    /// The number of audio inputs.
    public let inputChannelCount: Int
    /// The number of audio outputs.
    public let outputChannelCount: Int
    /// A Boolean value that indicates whether the plug-in reports its latency.
    public let reportsLatency: Bool
    /// A Boolean value that indicates whether the plug-in promises that it does not allocate, lock
    /// or wait while it processes audio.
    public let isHardRealTimeCapable: Bool
    /// The parameters, in the order of the plug-in.
    public let parameters: [LV2Parameter]

    /// The uses of the ports, by their indices.
    let ports: [LV2Port]
    /// The index of the latency among the control outputs.
    let latencyOutput: Int?
    let requirements: LV2Requirements
    let world: LV2World
    let handle: OpaquePointer

    /// Returns all installed plug-ins, sorted by name, including those that no tap can use.
    ///
    /// - Throws: `LV2Error` with the code `libraryMissing`.
    public static func all() throws(LV2Error) -> [LV2Plugin] {
        try all(in: LV2World.shared.get())
    }

    static func all(in world: LV2World) -> [LV2Plugin] {
        world.withLock { world.plugins.map { LV2PluginReader(world, $0).read() } }
            .sorted { ($0.name, $0.uri) < ($1.name, $1.uri) }
    }

    /// Returns the plug-in with a URI.
    ///
    /// - Throws: `LV2Error` with the code `libraryMissing` or `noSuchPlugin`.
    public init(uri: String) throws(LV2Error) {
        self = try Self.find(uri, in: LV2World.shared.get())
    }

    static func find(_ uri: String, in world: LV2World) throws(LV2Error) -> LV2Plugin {
        let plugin = world.withLock {
            world.plugin(uri).map { LV2PluginReader(world, $0).read() }
        }
        if let plugin { return plugin }
        throw LV2Error(
            .noSuchPlugin, subject: uri, cause: "no LV2 plug-in with this URI is installed",
            remedy: "install it, or set LV2_PATH to the folder that contains its bundle")
    }

    init(
        uri: String, name: String, className: String, author: String?, inputChannelCount: Int,
        outputChannelCount: Int, reportsLatency: Bool, isHardRealTimeCapable: Bool,
        parameters: [LV2Parameter], ports: [LV2Port], latencyOutput: Int?,
        requirements: LV2Requirements, world: LV2World, handle: OpaquePointer
    ) {
        self.uri = uri
        self.name = name
        self.className = className
        self.author = author
        self.inputChannelCount = inputChannelCount
        self.outputChannelCount = outputChannelCount
        self.reportsLatency = reportsLatency
        self.isHardRealTimeCapable = isHardRealTimeCapable
        self.parameters = parameters
        self.ports = ports
        self.latencyOutput = latencyOutput
        self.requirements = requirements
        self.world = world
        self.handle = handle
    }

    /// The number of values that the plug-in reports.
    var controlOutputCount: Int {
        ports.count { if case .controlOutput = $0 { true } else { false } }
    }

    /// The reason why no tap can use the plug-in, or nil: its code is `unsupportedFeature`,
    /// `unsupportedPort` or `unsupportedChannels`.
    public var unsupportedReason: LV2Error? {
        requirements.problem(in: name) ?? portProblem ?? channelProblem
    }

    private var portProblem: LV2Error? {
        for case .unsupported(let symbol, let type) in ports {
            return LV2Error(
                .unsupportedPort, subject: name,
                cause: "its port '\(symbol)' has the type \(type), which is not supported",
                remedy: "use another plug-in")
        }
        return nil
    }

    private var channelProblem: LV2Error? {
        guard inputChannelCount != outputChannelCount || inputChannelCount == 0 else { return nil }
        return LV2Error(
            .unsupportedChannels, subject: name,
            cause: "it has \(Self.count(inputChannelCount, "audio input")) and "
                + Self.count(outputChannelCount, "output"),
            remedy: "use a plug-in with as many outputs as inputs")
    }

    /// Returns the number of instances that process audio together, each its own channels.
    func instanceCount(forChannels channelCount: Int) throws(LV2Error) -> Int {
        let count = inputChannelCount
        guard channelCount % count == 0 else {
            throw LV2Error(
                .unsupportedChannels, subject: name,
                cause: "it processes \(Self.count(count, "channel")), and the audio has "
                    + "\(channelCount)",
                remedy: "use a mono plug-in, which gets an instance for each channel")
        }
        return channelCount / count
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)" + (number == 1 ? "" : "s")
    }
}
