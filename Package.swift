// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// The house, floor by floor, lowest first. A room is a folder under Sources/ and a module named
// after it with the prefix Playhead. Imports go to rooms listed above only; each C library is
// imported by one room only. Scripts/check-layering holds every file to this table.

/// A C library: a module map and one shim header under Sources/Interop.
func library(_ name: String, apt package: String? = nil) -> Target {
    .systemLibrary(
        name: "CPlayhead\(name)", path: "Sources/Interop/\(name)",
        providers: package.map { [.apt([$0])] })
}

/// A room of the house and the rooms it may import.
func room(
    _ name: String, on floor: String, imports rooms: [String] = [], c: [String] = [],
    packages: [Target.Dependency] = []
) -> Target {
    .target(
        name: "Playhead\(name)",
        dependencies: rooms.map { .target(name: "Playhead\($0)") }
            + c.map { .target(name: "CPlayhead\($0)") } + packages,
        path: "Sources/\(floor)/\(name)")
}

let interop: [Target] = [
    library("Malloc"),
    library("Vectors"),
    library("Epoxy", apt: "libepoxy-dev"),
    library("EGL", apt: "libepoxy-dev"),
    library("GLFW", apt: "libglfw3-dev"),
    library("XCB", apt: "libxcb-present-dev"),
    library("Dispatch"),
    library("FFmpeg", apt: "libavformat-dev"),
    library("Pulse", apt: "libpulse-dev"),
    library("ASS", apt: "libass-dev"),
    library("Uchardet", apt: "libuchardet-dev"),
    library("Bus", apt: "libsystemd-dev"),
]

let rooms: [Target] = [
    room("Memory", on: "Core", c: ["Malloc"]),
    room("Threads", on: "Core"),
    room("Time", on: "Core", imports: ["Threads"]),
    room("Buffers", on: "Core", imports: ["Time"]),
    room("Assets", on: "Media", imports: ["Threads", "Time", "Buffers"]),
    room(
        "FFmpeg", on: "Media", imports: ["Threads", "Time", "Buffers", "Assets"],
        c: ["FFmpeg", "Uchardet"]),
    room("Audio", on: "Audio", imports: ["Threads", "Time", "Buffers"]),
    room("Pulse", on: "Audio", imports: ["Threads", "Time", "Buffers", "Audio"], c: ["Pulse"]),
    room("Display", on: "Playback", imports: ["Threads", "Time"]),
    room(
        "Playback", on: "Playback", imports: ["Threads", "Time", "Buffers", "Assets", "Audio"],
        packages: [.product(name: "DequeModule", package: "swift-collections")]),
    room("GL", on: "Graphics", imports: ["Buffers"], c: ["Epoxy"]),
    .target(
        name: "PlayheadShaders", path: "Shaders",
        resources: [
            .embedInCode("Conversion"), .embedInCode("Compositing"), .embedInCode("Effects"),
        ]),
    room("Conversion", on: "Graphics", imports: ["Threads", "Buffers"], c: ["Vectors"]),
    room(
        "Images", on: "Graphics",
        imports: ["Threads", "Time", "Buffers", "Assets", "Conversion"]),
    room(
        "Textures", on: "Graphics",
        imports: ["Threads", "Buffers", "GL", "Shaders", "Conversion"]),
    room(
        "Effects", on: "Graphics",
        imports: [
            "Threads", "Time", "Buffers", "GL", "Shaders", "Conversion", "Textures",
        ]),
    room(
        "Text", on: "Graphics", imports: ["Time", "Buffers", "Assets", "Conversion"], c: ["ASS"]),
    room(
        "Layers", on: "Graphics",
        imports: [
            "Time", "Buffers", "GL", "Shaders", "Conversion", "Textures", "Effects", "Text",
        ]),
    room(
        "Subtitles", on: "Graphics",
        imports: ["Threads", "Time", "Buffers", "Assets", "Playback", "Text", "Layers"]),
    room("Atlas", on: "Graphics", imports: ["Buffers", "Layers"]),
    room("Headless", on: "Graphics", imports: ["GL"], c: ["EGL"]),
    room(
        "Window", on: "Interface", imports: ["Threads", "Time", "Display", "GL"],
        c: ["GLFW", "XCB", "Dispatch"]),
    room(
        "Presentation", on: "Interface",
        imports: [
            "Threads", "Time", "Buffers", "Assets", "Display", "Playback", "GL", "Textures",
            "Layers", "Headless",
        ]),
    room(
        "Commands", on: "Interface",
        imports: ["Time", "Buffers", "Assets", "Playback", "Window"]),
    room(
        "Desktop", on: "Interface",
        imports: ["Threads", "Time", "Assets", "Playback", "Commands"], c: ["Bus"]),
    room(
        "Controls", on: "Interface",
        imports: [
            "Commands", "Time", "Buffers", "Assets", "Audio", "Playback", "Images", "Textures",
            "Effects", "Layers", "Text", "Window",
        ]),
    room(
        "Authoring", on: "Interface",
        imports: ["Time", "Buffers", "Effects", "Layers", "Text", "Window"]),
    room(
        "Interface", on: "Interface",
        imports: [
            "Commands", "Controls", "Time", "Buffers", "Assets", "FFmpeg", "Display", "Playback",
            "GL", "Textures", "Effects", "Layers", "Subtitles", "Window", "Presentation",
            "Authoring",
        ]),
    // The same for hosts in C: a header written by hand, and its implementation.
    .target(name: "CPlayhead", path: "Sources/Embedding/CPlayhead"),
    .target(
        name: "PlayheadC",
        dependencies: [
            "Threads", "Time", "Buffers", "Assets", "FFmpeg", "Audio", "Pulse", "Playback",
            "Conversion", "Images", "GL", "Shaders", "Textures", "Effects", "Layers", "Subtitles",
        ].map { .target(name: "Playhead\($0)") } + ["CPlayhead"],
        path: "Sources/Embedding/Library"),
    // The umbrella: what `import Playhead` brings.
    .target(
        name: "Playhead",
        dependencies: [
            "Memory", "Threads", "Time", "Buffers", "Assets", "FFmpeg", "Audio", "Pulse", "Display",
            "Playback", "Conversion", "Images", "GL", "Textures", "Effects", "Layers", "Atlas",
            "Headless", "Text", "Subtitles", "Window", "Presentation", "Commands", "Controls",
            "Desktop", "Authoring", "Interface",
        ].map { .target(name: "Playhead\($0)") }),
    .executableTarget(
        name: "PlayheadTool",
        dependencies: [
            "Playhead", .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ], path: "Sources/Tool"),
]

/// What demos share: their command line, a window or a picture to perform in, text and sliders.
let demoSupport: Target = .target(
    name: "DemoSupport", dependencies: ["Playhead"], path: "Demos/Common")

/// A demo: a folder of its own under Demos, a program of a screen or two.
func demo(_ name: String, exclude: [String] = []) -> Target {
    .executableTarget(
        name: name, dependencies: ["Playhead", "DemoSupport"], path: "Demos/\(name)",
        exclude: ["README.md"] + exclude)
}

let demos: [Target] = [
    demoSupport,
    .executableTarget(
        name: "EmbeddingHost", dependencies: ["Playhead"], path: "Demos/Embedding/Swift"),
    .executableTarget(
        name: "AtlasPuzzle", dependencies: ["Playhead", "DemoSupport", "SlidingPuzzle"],
        path: "Demos/AtlasPuzzle", exclude: ["README.md", "Puzzle", "Loops"]),
    demo("BandPass"),
    demo("ChromaKeyStudio"),
    demo("HelloVideo", exclude: ["PullLoop"]),
    demo("HueCurve"),
    demo("Loupe"),
    demo("MovieLibrary"),
    demo("OwnSound"),
    demo("SpinningCube"),
    demo("Timebases"),
    demo("VideoWall"),
    .executableTarget(
        name: "PullLoop", dependencies: ["Playhead", "DemoSupport"],
        path: "Demos/HelloVideo/PullLoop"),
]

/// The board and the solver of AtlasPuzzle.
let slidingPuzzle: Target = .target(name: "SlidingPuzzle", path: "Demos/AtlasPuzzle/Puzzle")

/// What tests share: clips, comparers, processes. Vended, for the tests of packages built on this one.
let testSupport: Target = .target(
    name: "MediaTestSupport",
    dependencies: ["PlayheadAssets", "PlayheadBuffers", "PlayheadThreads", "PlayheadTime"],
    path: "Tests/MediaTestSupport")

/// An OpenGL context for tests that draw, and ways to look at what was drawn.
let graphicsTestSupport: Target = .target(
    name: "GraphicsTestSupport",
    dependencies: [
        "CPlayheadEpoxy", "MediaTestSupport", "PlayheadBuffers", "PlayheadGL", "PlayheadHeadless",
        "PlayheadTime",
    ],
    path: "Tests/GraphicsTestSupport")

/// A private sound server for tests, and a recorder of what it plays.
let pulseTestSupport: Target = .target(
    name: "PulseTestSupport",
    dependencies: [
        "CPlayheadPulse", "MediaTestSupport", "PlayheadAudio", "PlayheadPulse", "PlayheadThreads",
        "PlayheadTime",
    ],
    path: "Tests/PulseTestSupport")

/// A model of playback, and histories of events that hold the engine to it.
let playbackTestSupport: Target = .target(
    name: "PlaybackTestSupport",
    dependencies: [
        "MediaTestSupport", "PlayheadAssets", "PlayheadAudio", "PlayheadPlayback",
        "PlayheadThreads", "PlayheadTime",
    ],
    path: "Tests/PlaybackTestSupport")

/// A malloc and locks of its own that tell what a watched thread does, and sources and sinks that are
/// watched. Whatever links it has them.
let realTimeGuard: Target = .target(name: "RealTimeGuard", path: "Tests/RealTimeGuard")
let realTimeTestSupport: Target = .target(
    name: "RealTimeTestSupport",
    dependencies: ["RealTimeGuard", "PlayheadAudio", "PlayheadBuffers", "PlayheadTime"],
    path: "Tests/RealTimeTestSupport")

/// What `Scripts/prove/realtime` runs: not a part of the other proofs, for its malloc is its own.
let realTimeProof: Target = .executableTarget(
    name: "RealTimeProof",
    dependencies: ["Playhead", "PlayheadThreads", "RealTimeTestSupport"],
    path: "Tests/RealTimeProof")

/// What `Scripts/prove` runs.
let proofs: Target = .executableTarget(
    name: "PlayheadProofs",
    dependencies: [
        "Playhead", "PlayheadThreads", "MediaTestSupport", "PlaybackTestSupport",
        "PulseTestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
    ],
    path: "Tests/Proofs")

/// A program that opens windows: GLFW wants the main thread, which tests do not have.
let windowTestHost: Target = .executableTarget(
    name: "WindowTestHost",
    dependencies: [
        "PlayheadBuffers", "PlayheadDisplay", "PlayheadGL", "PlayheadThreads", "PlayheadTime",
        "PlayheadWindow",
    ],
    path: "Tests/WindowTestHost")

/// A program that does to a window what desktops do and xdotool cannot: drops files, minimises.
let xClient: Target = .executableTarget(
    name: "XClient", path: "Tests/XClient", linkerSettings: [.linkedLibrary("X11")])

/// What hosts in C share that run without a window.
let headlessHost: Target = .target(
    name: "HeadlessHost", path: "Demos/Embedding/Common", publicHeadersPath: ".",
    linkerSettings: [.linkedLibrary("EGL")])

/// What hosts in C count of their process.
let hostSupport: Target = .target(name: "HostSupport", path: "Tests/HostSupport")

/// What ThreadSanitizer needs to see of Swift's locks.
let sanitizerSupport: Target = .target(
    name: "SanitizerSupport", path: "Tests/SanitizerSupport")

/// Programs in C that use the C interface in ways in which no sane host does, and measure it.
func cHost(_ name: String) -> Target {
    .executableTarget(
        name: name,
        dependencies: [
            "CPlayhead", "HeadlessHost", "HostSupport", "PlayheadC", "SanitizerSupport",
        ],
        path: "Tests/\(name)", linkerSettings: [.linkedLibrary("EGL")])
}

let cHosts: [Target] = [
    headlessHost, hostSupport, sanitizerSupport, cHost("HostStateHost"), cHost("CallFuzzHost"),
    cHost("HostLoopHost"), cHost("DestroyHost"), cHost("SamplingHost"), cHost("TurnsHost"),
]

/// The tests of a room: they may import the room, the rooms named, and what tests share.
func test(_ name: String, imports rooms: [String] = [], support: [String] = []) -> Target {
    .testTarget(
        name: "Playhead\(name)Tests",
        dependencies: (["MediaTestSupport"] + support).map { .target(name: $0) }
            + ([name] + rooms).map { .target(name: "Playhead\($0)") },
        path: "Tests/\(name)Tests")
}

let tests: [Target] = [
    // Of the demos, as processes: in pictures, and in windows with real keys and pointer.
    .testTarget(name: "DemoTests", dependencies: ["MediaTestSupport"], path: "Tests/DemoTests"),
    .testTarget(
        name: "ReadmeTests", dependencies: ["Playhead", "MediaTestSupport"],
        path: "Tests/ReadmeTests"),
    .testTarget(
        name: "MediaTestSupportTests",
        dependencies: ["MediaTestSupport", "PlayheadAssets", "PlayheadTime"],
        path: "Tests/MediaTestSupportTests"),
    .testTarget(
        name: "SlidingPuzzleTests", dependencies: ["MediaTestSupport", "SlidingPuzzle"],
        path: "Tests/SlidingPuzzleTests"),
    test("Memory"),
    test("Threads"),
    test("Time", imports: ["Threads"]),
    test("Buffers", imports: ["Time"]),
    test("Assets", imports: ["Buffers", "Threads", "Time"]),
    test("Display", imports: ["Threads", "Time"]),
    test(
        "Playback", imports: ["Assets", "Audio", "Buffers", "Threads", "Time"],
        support: ["PlaybackTestSupport", "RealTimeTestSupport"]),
    test("GL", imports: ["Buffers", "Headless"], support: ["GraphicsTestSupport"]),
    test(
        "Conversion", imports: ["Threads", "Buffers", "GL", "Headless", "Textures"],
        support: ["GraphicsTestSupport"]),
    test("Images", imports: ["Assets", "Buffers", "Conversion", "FFmpeg", "Threads", "Time"]),
    test(
        "Textures", imports: ["Buffers", "Conversion", "GL", "Headless", "Threads"],
        support: ["GraphicsTestSupport"]),
    test(
        "Effects", imports: ["Buffers", "GL", "Headless", "Textures", "Threads", "Time"],
        support: ["GraphicsTestSupport"]),
    test(
        "Layers",
        imports: ["Buffers", "Effects", "GL", "Headless", "Text", "Textures", "Threads", "Time"],
        support: ["GraphicsTestSupport"]),
    test(
        "Atlas",
        imports: ["Buffers", "Conversion", "GL", "Headless", "Layers", "Textures", "Time"],
        support: ["GraphicsTestSupport"]),
    test("Text", imports: ["Assets", "Buffers", "Time"]),
    test("FFmpeg", imports: ["Assets", "Buffers", "Time"]),
    test(
        "Audio", imports: ["Buffers", "Threads", "Time"], support: ["RealTimeTestSupport"]),
    test(
        "Pulse", imports: ["Audio", "Buffers", "Threads", "Time"],
        support: ["PulseTestSupport", "RealTimeTestSupport"]),
    // Rooms that know nothing of each other, together.
    .testTarget(
        name: "IntegrationTests",
        dependencies: [
            "Playhead", "MediaTestSupport", "PlayheadAssets", "PlayheadAudio", "PlayheadBuffers",
            "PlayheadPlayback", "PlayheadThreads", "PlayheadTime",
        ], path: "Tests/IntegrationTests"),
    test("Window", support: ["WindowTestHost"]),
    test("Desktop", imports: ["Assets", "Commands", "Playback", "Threads", "Time"]),
    test(
        "Controls",
        imports: [
            "Assets", "Audio", "Buffers", "Commands", "Effects", "GL", "Layers", "Playback", "Time",
            "Window",
        ],
        support: ["GraphicsTestSupport"]),
    test("Commands", imports: ["Assets", "Audio", "Playback", "Time", "Window"]),
    test("Interface", imports: ["Commands", "Layers", "Time"]),
    test(
        "Authoring", imports: ["Buffers", "Effects", "Layers", "Window"],
        support: ["GraphicsTestSupport"]),
    test(
        "Presentation",
        imports: [
            "Assets", "Buffers", "Display", "GL", "Headless", "Layers", "Playback", "Textures",
            "Threads", "Time",
        ],
        support: ["GraphicsTestSupport"]),
    // Of the C interface, called as C does; hosts in other languages as processes.
    .testTarget(
        name: "PlayheadCTests",
        dependencies: [
            "CPlayhead", "CPlayheadFFmpeg", "PlayheadC", "MediaTestSupport", "GraphicsTestSupport",
            "PlayheadAssets", "PlayheadAudio", "PlayheadBuffers", "PlayheadConversion",
            "PlayheadFFmpeg",
            "PlayheadGL", "PlayheadHeadless", "PlayheadPlayback", "PlayheadPulse",
            "PlayheadTextures", "PlayheadThreads", "PlayheadTime", "RealTimeTestSupport",
        ],
        path: "Tests/EmbeddingTests"),
    // Of the program, as a process: the target is named so that it is built with the tests.
    test("Tool", imports: ["Assets", "Time"]),
]

let package = Package(
    name: "playhead",
    products: [
        .library(name: "Playhead", targets: ["Playhead"]),
        .executable(name: "playhead", targets: ["PlayheadTool"]),
        .library(name: "PlayheadC", type: .dynamic, targets: ["PlayheadC"]),
        .executable(name: "prove", targets: ["PlayheadProofs"]),
        .executable(name: "prove-realtime", targets: ["RealTimeProof"]),
        .library(name: "MediaTestSupport", targets: ["MediaTestSupport"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
    ],
    targets: interop + rooms + demos + [slidingPuzzle]
        + cHosts
        + [testSupport, graphicsTestSupport, playbackTestSupport, pulseTestSupport]
        + [windowTestHost, xClient, proofs]
        + [realTimeGuard, realTimeTestSupport, realTimeProof]
        + tests
)

for target in package.targets where target.type != .system {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .swiftLanguageMode(.v6),
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
        ]
}
