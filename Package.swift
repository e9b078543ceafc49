// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// The architecture, lowest module first. A module is a folder under Sources/, named with the prefix
// Playhead; it imports only modules that are listed above it, and each C library is imported by one module.
// Where `folders` are listed, the files of a module lie in them, and use only types of folders that are
// listed before their own. Scripts/check-layering holds every file to this table.

/// A C library: a module map and one shim header under Sources/Interop.
///
/// Without `pkg`, the flags of pkg-config contain some that the package manager refuses, such as
/// -pthread. These headers are where compilers look; if not, the shim names the package.
func library(_ name: String, pkg: String? = nil, apt package: String? = nil) -> Target {
    .systemLibrary(
        name: "CPlayhead\(name)", path: "Sources/Interop/\(name)", pkgConfig: pkg,
        providers: package.map { [.apt([$0]), .yum([pkg.map { "pkgconfig(\($0))" } ?? $0])] })
}

/// A module, its folder under Sources/, and the modules that it may import.
func module(
    _ name: String, at path: String, imports modules: [String] = [], c: [String] = [],
    packages: [Target.Dependency] = [], folders: [String] = [], pure: [String] = [],
    exclude: [String] = []
) -> Target {
    .target(
        name: "Playhead\(name)",
        dependencies: modules.map { .target(name: "Playhead\($0)") }
            + c.map { .target(name: "CPlayhead\($0)") } + packages,
        path: "Sources/\(path)", exclude: exclude)
}

let interop: [Target] = [
    library("Malloc"),
    library("Epoxy", pkg: "epoxy", apt: "libepoxy-dev"),
    library("EGL", pkg: "epoxy", apt: "libepoxy-dev"),
    library("GLFW", pkg: "glfw3", apt: "libglfw3-dev"),
    library("XCB", pkg: "xcb-present", apt: "libxcb-present-dev"),
    library("Wayland", pkg: "wayland-client", apt: "libwayland-dev"),
    library("Screens", pkg: "xcb-xfixes", apt: "libxcb-xfixes0-dev"),
    library("Dispatch"),
    library("FFmpeg", pkg: "libavformat", apt: "libavformat-dev"),
    // The package manager refuses flags of libpulse, and of libcurl in Debian 13 (`-isystem`).
    library("Pulse", apt: "libpulse-dev"),
    library("ASS", apt: "libass-dev"),
    library("Curl", apt: "libcurl4-openssl-dev"),
    library("Uchardet", pkg: "uchardet", apt: "libuchardet-dev"),
    library("Bus", pkg: "libsystemd", apt: "libsystemd-dev"),
    library("PipeWire"),
    library("LV2"),
    library("V4L2"),
    library("Zlib", pkg: "zlib", apt: "zlib1g-dev"),
]

let engine: [Target] = [
    module("Threads", at: "Core/Threads"),
    module("Time", at: "Core/Time", imports: ["Threads"]),
    module("Buffers", at: "Core/Buffers", imports: ["Time"]),
    module("JSON", at: "Core/JSON"),
    module("Stretching", at: "Audio/Stretching"),
    module("Assets", at: "Media/Assets", imports: ["Threads", "Time", "Buffers"]),
    module(
        "Compositions", at: "Media/Compositions",
        imports: ["Time", "Buffers", "Stretching", "Assets"]),
    module(
        "VideoCompositions", at: "Media/VideoCompositions",
        imports: ["Threads", "Time", "Buffers", "Assets"]),
    // The conversion of drawn frames with AVX2, in C for the reasons of CPlayheadKernels below.
    .target(name: "CPlayheadWritingKernels", path: "Sources/Media/Writing/Kernels"),
    module(
        "Writing", at: "Media/Writing", imports: ["Threads", "Time", "Buffers", "Assets"],
        c: ["WritingKernels"], exclude: ["Kernels"]),
    module(
        "Timelines", at: "Media/Timelines",
        imports: ["Time", "Buffers", "JSON", "Assets", "Compositions", "VideoCompositions"],
        c: ["Zlib"]),
    module(
        "FFmpeg", at: "Media/FFmpeg",
        imports: ["Threads", "Time", "Buffers", "Assets", "Writing"],
        c: ["FFmpeg", "Uchardet", "Curl"]),
    module(
        "Audio", at: "Audio/Mixing", imports: ["Threads", "Time", "Buffers", "Stretching"]),
    module(
        "Pulse", at: "Audio/Pulse", imports: ["Threads", "Time", "Buffers", "Audio"], c: ["Pulse"]),
    module("Display", at: "Playback/Display", imports: ["Threads", "Time"]),
    module(
        "Playback", at: "Playback/Player",
        imports: ["Threads", "Time", "Buffers", "Stretching", "Assets", "Audio"],
        packages: [.product(name: "DequeModule", package: "swift-collections")],
        folders: [
            "Observation", "Transport", "Decoding", "Metadata", "Items", "Outputs", "Players",
            "Subtitles",
        ], pure: ["Transport"]),
    module("GL", at: "Graphics/GL", imports: ["Buffers", "Threads"], c: ["Epoxy", "EGL"]),
    .target(
        name: "PlayheadShaders", path: "Shaders",
        resources: [
            .embedInCode("Conversion"), .embedInCode("Compositing"), .embedInCode("Effects"),
        ]),
    // The loops of the CPU converter with AVX2 and NEON: Swift has no intrinsics, and no attribute for
    // a function that may use more than the baseline of its target.
    .target(name: "CPlayheadKernels", path: "Sources/Graphics/Conversion/Kernels"),
    module(
        "Conversion", at: "Graphics/Conversion", imports: ["Threads", "Buffers"], c: ["Kernels"],
        exclude: ["Kernels"]),
    module(
        "Images", at: "Graphics/Images",
        imports: ["Threads", "Time", "Buffers", "Assets", "Playback", "Conversion"]),
    module(
        "Textures", at: "Graphics/Textures",
        imports: ["Threads", "Buffers", "GL", "Shaders", "Conversion"]),
    module(
        "Effects", at: "Graphics/Effects",
        imports: [
            "Threads", "Time", "Buffers", "JSON", "GL", "Shaders", "Conversion", "Textures",
        ],
        folders: ["GLSL", "Effect", "Formats", "Drawing", "Library"]),
    module(
        "Text", at: "Graphics/Text", imports: ["Time", "Buffers", "Assets", "Conversion"],
        c: ["ASS"]),
    module(
        "Layers", at: "Graphics/Layers",
        imports: ["Time", "Buffers", "GL", "Conversion", "Textures", "Effects", "Text"]),
    module(
        "Subtitles", at: "Graphics/Subtitles",
        imports: ["Threads", "Time", "Buffers", "Assets", "Playback", "Text", "Layers"]),
    module(
        "Presentation", at: "Graphics/Presentation",
        imports: [
            "Time", "Buffers", "Assets", "Display", "Playback", "GL", "Textures", "Layers",
        ]),
    // The umbrella of the engine: `import Playhead`. Its closure has no window library.
    .target(
        name: "Playhead",
        dependencies: [
            "Time", "Buffers", "Stretching", "Assets", "FFmpeg", "Audio", "Pulse", "Display",
            "Playback", "GL", "Conversion", "Images", "Textures", "Effects", "Text", "Layers",
            "Subtitles", "Presentation",
        ].map { .target(name: "Playhead\($0)") } + ["CPlayheadMalloc"],
        exclude: ["API.txt"]),
]

let editing: [Target] = [
    module(
        "Composing", at: "Graphics/Composing",
        imports: [
            "Threads", "Time", "Buffers", "VideoCompositions", "GL", "Images", "Effects", "Layers",
        ]),
    module(
        "Export", at: "Media/Export",
        imports: [
            "Threads", "Time", "Buffers", "Assets", "VideoCompositions", "Writing", "Audio",
            "Images",
        ]),
    // The umbrella of making: `import PlayheadEditing` brings the engine too.
    .target(
        name: "PlayheadEditing",
        dependencies: [
            "Playhead", "PlayheadTime", "PlayheadBuffers", "PlayheadAssets", "PlayheadAudio",
            "PlayheadCompositions", "PlayheadTimelines", "PlayheadWriting", "PlayheadExport",
            "PlayheadFFmpeg", "PlayheadText", "PlayheadVideoCompositions", "PlayheadComposing",
            "PlayheadEffects", "PlayheadImages", "PlayheadPlayback",
        ],
        path: "Sources/Editing", exclude: ["API.txt"]),
]

let capture: [Target] = [
    module(
        "Capturing", at: "Media/Capture",
        imports: ["Threads", "Time", "Buffers", "Assets", "Writing", "Audio", "Playback"]),
    module(
        "Cameras", at: "Media/Cameras",
        imports: ["Threads", "Time", "Buffers", "Assets", "Playback", "Capturing"], c: ["V4L2"]),
    module(
        "Microphones", at: "Media/Microphones",
        imports: [
            "Threads", "Time", "Buffers", "Assets", "Audio", "Pulse", "Playback", "Capturing",
        ]),
    // The umbrella of capture: `import PlayheadCapture` brings the engine too.
    .target(
        name: "PlayheadCapture",
        dependencies: [
            "Playhead", "PlayheadFFmpeg", "PlayheadCapturing", "PlayheadCameras",
            "PlayheadMicrophones",
        ],
        path: "Sources/Capture", exclude: ["API.txt"]),
    // The session bus, for screens and the desktop.
    module("Bus", at: "Bus", imports: ["Threads"], c: ["Bus"]),
    // Screens and windows of X11 and Wayland, a product of its own: others need no library for
    // windows.
    module(
        "Screens", at: "Screens",
        imports: ["Threads", "Time", "Buffers", "Playback", "Capturing", "Capture", "Bus"],
        c: ["Screens", "PipeWire"], exclude: ["API.txt"]),
]

let metadata: [Target] = [
    // Timed metadata: `import PlayheadMetadata` brings the engine too.
    .target(
        name: "PlayheadMetadata",
        dependencies: ["Playhead", "PlayheadTime", "PlayheadAssets", "PlayheadPlayback"],
        path: "Sources/Metadata", exclude: ["API.txt"])
]

let plugins: [Target] = [
    // LV2 plug-ins: `import PlayheadLV2` brings the engine too.
    .target(
        name: "PlayheadLV2", dependencies: ["Playhead", "PlayheadBuffers", "CPlayheadLV2"],
        path: "Sources/LV2", exclude: ["API.txt"])
]

let atlas: [Target] = [
    module("Atlas", at: "Atlas", imports: ["Buffers", "Assets", "Layers"], exclude: ["API.txt"])
]

let interface: [Target] = [
    module(
        "Window", at: "UI/Window", imports: ["Threads", "Time", "Display", "GL"],
        c: ["GLFW", "XCB", "Wayland", "Dispatch"]),
    module(
        "Commands", at: "UI/Commands", imports: ["Time", "Buffers", "Assets", "Playback", "Window"]),
    module(
        "PlayerUI", at: "UI/Player",
        imports: [
            "Commands", "Threads", "Time", "Buffers", "Assets", "FFmpeg", "Audio", "Display",
            "Playback", "Images", "GL", "Textures", "Effects", "Layers", "Text", "Subtitles",
            "Presentation", "Window",
        ],
        folders: ["Toolkit", "Controls", "EffectPanel", "Trim", "Browser", "PlayerWindow"]),
    // The umbrella of windows and controls: `import PlayheadUI` brings the engine too.
    .target(
        name: "PlayheadUI",
        dependencies: [
            "Playhead", "PlayheadAssets", "PlayheadPlayback", "PlayheadEffects", "PlayheadLayers",
            "PlayheadWindow", "PlayheadCommands", "PlayheadPlayerUI",
        ],
        path: "Sources/UI/PlayheadUI", exclude: ["API.txt"]),
]

let embedding: [Target] = [
    // The library for hosts in C: a header written by hand, and its implementation.
    .target(name: "CPlayhead", path: "Sources/Embedding/CPlayhead"),
    module(
        "C", at: "Embedding/Library",
        imports: [
            "Threads", "Time", "Buffers", "Assets", "Writing", "FFmpeg", "Audio", "Pulse",
            "Playback", "Capturing", "Cameras", "Conversion", "Images", "GL", "Shaders", "Textures",
            "Effects", "Layers", "Subtitles",
        ],
        packages: ["CPlayhead"],
        folders: ["Calls", "Media", "Time", "Drawing", "Writing", "Player", "API"]),
]

/// The folders of targets that `module` does not make, lowest first, as its `folders`.
let folders: [String: [String]] = [
    "PlayheadTool": [
        "Process", "Inputs", "Options", "Effects", "Render", "Machine", "Inspect", "Atlas",
        "Documents", "Play", "Main",
    ]
]

let programs: [Target] = [
    module(
        "Desktop", at: "App/Desktop",
        imports: ["Threads", "Time", "Assets", "Playback", "Bus", "Commands"]),
    .executableTarget(
        name: "PlayheadTool",
        dependencies: [
            "PlayheadUI", "PlayheadAtlas", "PlayheadEditing", "PlayheadCapture", "PlayheadScreens",
            "PlayheadDesktop",
            "PlayheadThreads",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ], path: "Sources/App/Tool"),
]

// Demos see what a package that depends on this one sees: `packageAccess: false` hides the rest.

/// The code that demos share: their command line, a window or a framebuffer to perform in, text, sliders.
let demoSupport: Target = .target(
    name: "DemoSupport", dependencies: ["PlayheadUI"], path: "Demos/Common", packageAccess: false)

/// A demo: a folder of its own under Demos, a short program.
func demo(
    _ name: String, at path: String? = nil, uses dependencies: [Target.Dependency] = [],
    exclude: [String] = ["README.md"]
) -> Target {
    .executableTarget(
        name: name, dependencies: ["PlayheadUI", "DemoSupport"] + dependencies,
        path: "Demos/\(path ?? name)", exclude: exclude, packageAccess: false)
}

/// The program of a tutorial: it sees the engine as a package that depends on it does.
func tutorial(
    _ name: String, uses dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
    .executableTarget(
        name: name, dependencies: ["Playhead"] + dependencies, path: "Demos/Tutorials/\(name)",
        exclude: exclude, packageAccess: false)
}

let demos: [Target] = [
    demoSupport,
    .executableTarget(
        name: "EmbeddingHost", dependencies: ["PlayheadUI"], path: "Demos/Embedding/Swift",
        packageAccess: false),
    demo(
        "AtlasPuzzle", uses: ["PlayheadAtlas", "SlidingPuzzle"],
        exclude: ["README.md", "Puzzle", "Loops"]),
    demo("BandPass"),
    demo("ChromaKeyStudio"),
    demo("Compositor", uses: ["PlayheadEditing"]),
    demo("HelloVideo", exclude: ["README.md", "PullLoop"]),
    demo("HueCurve"),
    demo("Loupe"),
    demo("MovieLibrary"),
    demo("OwnSound"),
    demo("PhotoBooth", uses: ["PlayheadCapture"]),
    demo("ScreenLoupe", uses: ["PlayheadScreens"]),
    demo("Slideshow", uses: ["PlayheadEditing"]),
    demo("SpinningCube"),
    demo("Timebases"),
    demo("Titles", uses: ["PlayheadEditing"]),
    demo("VideoWall"),
    demo("PullLoop", at: "HelloVideo/PullLoop", exclude: []),
    // The programs of the README. The first has an engine without a window library.
    .executableTarget(
        name: "FirstFrame", dependencies: ["Playhead"], path: "Demos/ReadmeSamples/FirstFrame",
        packageAccess: false),
    .executableTarget(
        name: "FirstWindow", dependencies: ["PlayheadUI"],
        path: "Demos/ReadmeSamples/FirstWindow", packageAccess: false),
    // The programs of the tutorials in Playhead.docc.
    .systemLibrary(
        name: "CEGL", path: "Demos/Tutorials/EGL", pkgConfig: "egl",
        providers: [.apt(["libegl-dev"])]),
    tutorial("OwnContext", uses: ["CEGL"]),
    tutorial("EffectToPreset", exclude: ["duotone.fs", "grey.fs"]),
    tutorial("SoundShader", exclude: ["pulse.fs"]),
    tutorial("WallInStep"),
]

/// The board and the solver of AtlasPuzzle.
let slidingPuzzle: Target = .target(
    name: "SlidingPuzzle", path: "Demos/AtlasPuzzle/Puzzle", packageAccess: false)

/// Clips, comparers and processes that tests share. Vended, for the tests of packages built on this one.
let testSupport: Target = .target(
    name: "MediaTestSupport",
    dependencies: ["PlayheadAssets", "PlayheadBuffers", "PlayheadThreads", "PlayheadTime"],
    path: "Tests/Support/MediaTestSupport")

/// An OpenGL context for tests that draw, and ways to look at the result.
let graphicsTestSupport: Target = .target(
    name: "GraphicsTestSupport",
    dependencies: [
        "CPlayheadEpoxy", "MediaTestSupport", "PlayheadBuffers", "PlayheadGL", "PlayheadTime",
    ],
    path: "Tests/Support/GraphicsTestSupport")

/// A private sound server for tests, and a recorder of its output.
let pulseTestSupport: Target = .target(
    name: "PulseTestSupport",
    dependencies: [
        "CPlayheadPulse", "MediaTestSupport", "PlayheadAudio", "PlayheadPulse", "PlayheadThreads",
        "PlayheadTime",
    ],
    path: "Tests/Support/PulseTestSupport")

/// A private Wayland desktop for tests: a session bus, a portal, PipeWire, and a producer of frames.
let screenTestSupport: Target = .target(
    name: "ScreenTestSupport",
    dependencies: [
        "CPlayheadPipeWire", "MediaTestSupport", "PlayheadAssets", "PlayheadBus",
        "PlayheadScreens", "PlayheadThreads", "PlayheadTime",
    ],
    path: "Tests/Support/ScreenTestSupport")

/// A model of playback, and histories of events that hold the engine to it.
let playbackTestSupport: Target = .target(
    name: "PlaybackTestSupport",
    dependencies: [
        "MediaTestSupport", "PlayheadAssets", "PlayheadAudio", "PlayheadPlayback",
        "PlayheadThreads", "PlayheadTime", "TransportTestSupport",
    ],
    path: "Tests/Support/PlaybackTestSupport")

/// A model of an item's transport, of times and frame numbers only.
let transportTestSupport: Target = .target(
    name: "TransportTestSupport", dependencies: ["PlayheadTime"],
    path: "Tests/Support/TransportTestSupport")

/// Random edits of compositions, and a model that holds them to it; random video compositions.
let compositionTestSupport: Target = .target(
    name: "CompositionTestSupport",
    dependencies: [
        "MediaTestSupport", "PlayheadAssets", "PlayheadBuffers", "PlayheadCompositions",
        "PlayheadTime", "PlayheadVideoCompositions",
    ],
    path: "Tests/Support/CompositionTestSupport")

/// A malloc and locks of its own that report the calls of a watched thread, and sources and sinks that
/// are watched. Every program that links it uses them.
let realTimeGuard: Target = .target(
    name: "RealTimeGuard", path: "Tests/Support/RealTimeGuard")
let realTimeTestSupport: Target = .target(
    name: "RealTimeTestSupport",
    dependencies: [
        "RealTimeGuard", "PlayheadAudio", "PlayheadBuffers", "PlayheadStretching", "PlayheadTime",
    ],
    path: "Tests/Support/RealTimeTestSupport")

/// The program of `Scripts/prove/realtime`: apart from the other proofs, because its malloc is its own.
let realTimeProof: Target = .executableTarget(
    name: "RealTimeProof",
    dependencies: ["Playhead", "PlayheadThreads", "RealTimeTestSupport"],
    path: "Tests/Proofs/RealTime")

/// The program that `Scripts/prove` runs.
let proofs: Target = .executableTarget(
    name: "PlayheadProofs",
    dependencies: [
        "PlayheadUI", "PlayheadAtlas", "PlayheadEditing", "PlayheadThreads",
        "CompositionTestSupport", "MediaTestSupport", "PlaybackTestSupport", "PulseTestSupport",
        "ScreenTestSupport", .product(name: "ArgumentParser", package: "swift-argument-parser"),
    ],
    path: "Tests/Proofs/Prove")

/// A program that opens windows: GLFW wants the main thread, which tests do not have.
let windowTestHost: Target = .executableTarget(
    name: "WindowTestHost",
    dependencies: [
        "PlayheadBuffers", "PlayheadDisplay", "PlayheadGL", "PlayheadThreads", "PlayheadTime",
        "PlayheadWindow",
    ],
    path: "Tests/Hosts/WindowTestHost")

/// A program that captures and prints what happens: a preloaded library plays the driver.
let cameraHost: Target = .executableTarget(
    name: "CameraHost",
    dependencies: [
        "PlayheadCapture", "PlayheadCapturing", "PlayheadCameras", "PlayheadFFmpeg",
        "PlayheadScreens", "PlayheadAssets", "PlayheadBuffers", "PlayheadThreads", "PlayheadTime",
        "PlayheadWriting",
    ],
    path: "Tests/Hosts/CameraHost")

/// A program that does to a window what desktops do and xdotool cannot: drops files, minimises.
let xClient: Target = .executableTarget(
    name: "XClient", path: "Tests/Hosts/XClient", linkerSettings: [.linkedLibrary("X11")])

/// Shared by hosts in C that run without a window.
let headlessHost: Target = .target(
    name: "HeadlessHost", path: "Demos/Embedding/Common", publicHeadersPath: ".",
    linkerSettings: [.linkedLibrary("EGL")])

/// Counters of the process that hosts in C share.
let hostSupport: Target = .target(name: "HostSupport", path: "Tests/Support/HostSupport")

/// The calls that report Swift's locks to ThreadSanitizer.
let sanitizerSupport: Target = .target(
    name: "SanitizerSupport", path: "Tests/Support/SanitizerSupport")

/// Programs in C that use the C interface in ways in which no sane host does, and measure it.
func cHost(_ name: String) -> Target {
    .executableTarget(
        name: name,
        dependencies: [
            "CPlayhead", "HeadlessHost", "HostSupport", "PlayheadC", "SanitizerSupport",
        ],
        path: "Tests/Hosts/\(name)", linkerSettings: [.linkedLibrary("EGL")])
}

let cHosts: [Target] = [
    headlessHost, hostSupport, sanitizerSupport, cHost("HostStateHost"), cHost("CallFuzzHost"),
    cHost("HostLoopHost"), cHost("RecordHost"), cHost("DestroyHost"), cHost("SamplingHost"),
    cHost("TurnsHost"), cHost("DeviceHost"),
]

/// The tests of a module: they may import the module, the modules named, and what tests share.
func test(_ name: String, imports modules: [String] = [], support: [String] = []) -> Target {
    .testTarget(
        name: "Playhead\(name)Tests",
        dependencies: (["MediaTestSupport"] + support).map { .target(name: $0) }
            + ([name] + modules).map { .target(name: "Playhead\($0)") },
        path: "Tests/Unit/\(name)Tests")
}

let tests: [Target] = [
    .testTarget(
        name: "MediaTestSupportTests",
        dependencies: ["MediaTestSupport", "PlayheadAssets", "PlayheadTime"],
        path: "Tests/Unit/MediaTestSupportTests"),
    .testTarget(
        name: "SlidingPuzzleTests", dependencies: ["MediaTestSupport", "SlidingPuzzle"],
        path: "Tests/Unit/SlidingPuzzleTests"),
    .testTarget(
        name: "PlayheadTests", dependencies: ["MediaTestSupport", "Playhead"],
        path: "Tests/Unit/PlayheadTests"),
    test("Threads"),
    test("Time", imports: ["Threads"]),
    test("Buffers", imports: ["Time"]),
    test("Assets", imports: ["Buffers", "Threads", "Time"]),
    test(
        "Compositions",
        imports: [
            "Assets", "Buffers", "FFmpeg", "Images", "Playback", "Stretching", "Threads", "Time",
        ],
        support: ["CompositionTestSupport"]),
    test(
        "Timelines",
        imports: ["Assets", "Buffers", "Compositions", "JSON", "Time", "VideoCompositions"]),
    test(
        "VideoCompositions",
        imports: ["Assets", "Buffers", "Compositions", "FFmpeg", "Time"]),
    test(
        "Composing",
        imports: [
            "Assets", "Audio", "Buffers", "Compositions", "Editing", "Effects", "GL", "Images",
            "Layers", "Playback", "Threads", "Time", "Timelines", "VideoCompositions",
        ], support: ["CompositionTestSupport", "GraphicsTestSupport"]),
    test("Writing", imports: ["Assets", "Buffers", "FFmpeg", "Threads", "Time"]),
    test(
        "Export",
        imports: ["Assets", "Audio", "Buffers", "Compositions", "FFmpeg", "Time", "Writing"]),
    test(
        "Capturing",
        imports: [
            "Assets", "Audio", "Buffers", "Effects", "FFmpeg", "GL", "Layers", "Playback",
            "Textures", "Threads", "Time", "Writing",
        ],
        support: ["GraphicsTestSupport"]),
    test(
        "Microphones",
        imports: [
            "Assets", "Audio", "Buffers", "Capturing", "FFmpeg", "Playback", "Pulse", "Time",
        ],
        support: ["PulseTestSupport"]),
    test(
        "Screens",
        imports: ["Assets", "Buffers", "Bus", "Capturing", "Playback", "Threads", "Time"],
        support: ["ScreenTestSupport"]),
    test("Cameras", imports: ["Assets", "Buffers", "Capturing", "Time"]),
    test("Display", imports: ["Threads", "Time"]),
    test(
        "Playback",
        imports: [
            "Assets", "Audio", "Buffers", "Compositions", "Stretching", "Threads", "Time",
        ],
        support: ["PlaybackTestSupport", "RealTimeTestSupport", "TransportTestSupport"]),
    test("GL", imports: ["Buffers", "Threads"], support: ["GraphicsTestSupport"]),
    test(
        "Conversion", imports: ["Threads", "Buffers", "GL", "Textures"],
        support: ["GraphicsTestSupport"]),
    test(
        "Images",
        imports: [
            "Assets", "Buffers", "Conversion", "FFmpeg", "GL", "Playback", "Textures", "Threads",
            "Time",
        ],
        support: ["GraphicsTestSupport"]),
    test(
        "Textures", imports: ["Buffers", "Conversion", "GL", "Threads"],
        support: ["GraphicsTestSupport"]),
    test(
        "Effects", imports: ["Buffers", "GL", "JSON", "Textures", "Threads", "Time"],
        support: ["GraphicsTestSupport"]),
    test(
        "Layers",
        imports: ["Buffers", "Effects", "GL", "Text", "Textures", "Threads", "Time"],
        support: ["GraphicsTestSupport"]),
    test(
        "Atlas", imports: ["Assets", "Buffers", "Conversion", "GL", "Layers", "Textures", "Time"],
        support: ["GraphicsTestSupport"]),
    test(
        "LV2", imports: ["Audio", "Buffers", "Threads", "Time"],
        support: ["RealTimeTestSupport"]),
    test("Text", imports: ["Assets", "Buffers", "FFmpeg", "Time"]),
    test("FFmpeg", imports: ["Assets", "Buffers", "Time"]),
    test(
        "Audio", imports: ["Buffers", "Stretching", "Threads", "Time"],
        support: ["RealTimeTestSupport"]),
    test(
        "Pulse", imports: ["Audio", "Buffers", "Threads", "Time"],
        support: ["PulseTestSupport", "RealTimeTestSupport"]),
    test("Window", support: ["WindowTestHost"]),
    test("Desktop", imports: ["Assets", "Bus", "Commands", "Playback", "Threads", "Time"]),
    test("Commands", imports: ["Assets", "Audio", "Playback", "Time", "Window"]),
    test(
        "PlayerUI",
        imports: [
            "Assets", "Audio", "Buffers", "Commands", "Effects", "GL", "Layers", "Playback", "Text",
            "Time", "Window",
        ],
        support: ["GraphicsTestSupport"]),
    test(
        "Presentation",
        imports: [
            "Assets", "Buffers", "Display", "GL", "Layers", "Playback", "Textures", "Threads",
            "Time",
        ],
        support: ["GraphicsTestSupport"]),
    // Modules that know nothing of each other, together.
    .testTarget(
        name: "IntegrationTests",
        dependencies: [
            "PlayheadUI", "PlayheadAtlas", "PlayheadMetadata", "MediaTestSupport", "PlayheadAssets",
            "PlayheadAudio", "PlayheadBuffers", "PlayheadPlayback", "PlayheadThreads",
            "PlayheadTime",
        ], path: "Tests/Integration/EngineTests"),
    // Demos as processes: drawn off screen, and in windows with real keys and pointer.
    .testTarget(
        name: "DemoTests", dependencies: ["MediaTestSupport"], path: "Tests/Integration/DemoTests"),
    // The code of the documents, as a package that depends on this one sees it.
    .testTarget(
        name: "ReadmeTests",
        dependencies: [
            "PlayheadUI", "PlayheadAtlas", "PlayheadCapture", "PlayheadEditing",
            "PlayheadMetadata", "PlayheadLV2", "PlayheadScreens", "MediaTestSupport",
        ], path: "Tests/Integration/ReadmeTests", packageAccess: false),
    // The C interface, called as C does; hosts in other languages as processes.
    .testTarget(
        name: "PlayheadCTests",
        dependencies: [
            "CPlayhead", "CPlayheadFFmpeg", "PlayheadC", "MediaTestSupport", "GraphicsTestSupport",
            "PlayheadAssets", "PlayheadAudio", "PlayheadBuffers", "PlayheadConversion",
            "PlayheadFFmpeg", "PlayheadGL", "PlayheadPlayback", "PlayheadPulse",
            "PlayheadTextures", "PlayheadThreads", "PlayheadTime", "RealTimeTestSupport",
        ],
        path: "Tests/Integration/PlayheadCTests"),
    // The program, as a process.
    .testTarget(
        name: "PlayheadToolTests",
        dependencies: [
            "MediaTestSupport", "PlayheadTool", "PlayheadAssets", "PlayheadPlayback",
            "PlayheadPlayerUI", "PlayheadScreens", "PlayheadTime", "ScreenTestSupport",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ],
        path: "Tests/Integration/ToolTests"),
]

let package = Package(
    name: "playhead",
    products: [
        .library(name: "Playhead", targets: ["Playhead"]),
        .library(name: "PlayheadUI", targets: ["PlayheadUI"]),
        .library(name: "PlayheadAtlas", targets: ["PlayheadAtlas"]),
        .library(name: "PlayheadEditing", targets: ["PlayheadEditing"]),
        .library(name: "PlayheadCapture", targets: ["PlayheadCapture"]),
        .library(name: "PlayheadScreens", targets: ["PlayheadScreens"]),
        .library(name: "PlayheadMetadata", targets: ["PlayheadMetadata"]),
        .library(name: "PlayheadLV2", targets: ["PlayheadLV2"]),
        .library(name: "PlayheadC", type: .dynamic, targets: ["PlayheadC"]),
        .executable(name: "playhead", targets: ["PlayheadTool"]),
        .library(name: "MediaTestSupport", targets: ["MediaTestSupport"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
    ],
    targets: interop + engine + editing + capture + metadata + plugins + atlas + interface
        + embedding + programs
        + demos + [slidingPuzzle] + cHosts
        + [testSupport, compositionTestSupport, graphicsTestSupport, playbackTestSupport]
        + [
            pulseTestSupport, screenTestSupport, windowTestHost, cameraHost, xClient, proofs,
            realTimeGuard,
            realTimeTestSupport,
        ]
        + [realTimeProof, transportTestSupport]
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
