// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// The options for opening an asset: the files and addresses to which it may refer, its resource
/// limits, and its timeouts.
///
///     var options = AssetOptions()
///     options.variants.peakBitRate = 2_000_000
///     let asset = URLAsset(url: url, options: options)
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: the `options` of `AVURLAsset(url:options:)`.
public struct AssetOptions: Sendable {
    /// The rules for the files and addresses that the asset may refer to.
    public var rules: AssetAccessRules
    /// The limits on the resources that the asset may use.
    package var limits = MediaLimits()
    /// The preference that selects one of the variants of an HLS or DASH stream.
    public var variants: VariantPreference
    /// The maximum time that opening may take, including everything that the asset refers to.
    public var openingTimeout: MediaTime
    /// The maximum time that any later call may block, such as reading a packet or seeking. While a
    /// live stream waits for its next segment, the maximum is increased by three times the longest
    /// duration of a segment that the stream states.
    public var timeout: MediaTime
    /// A Boolean value that indicates whether the whole file is read once on opening to measure the
    /// duration, if the container only allows an estimate. Live streams are not measured.
    ///
    /// - Corresponds to: `AVURLAssetPreferPreciseDurationAndTimingKey`.
    public var prefersPreciseDurationAndTiming: Bool
    /// The hardware that decodes video. If it is not available or fails, the CPU decodes, and
    /// `VideoDecoder.method` states the reason.
    public var hardwareAcceleration: HardwareAcceleration
    /// A Boolean value that indicates whether the asset may have neither video nor audio, because
    /// it is opened for its subtitles.
    package var allowsSubtitlesOnly = false
    /// The duration of each image in a file of images, such as PNG. Nil means FFmpeg's default, a
    /// twenty-fifth of a second.
    ///
    /// - Corresponds to: mpv's `image-display-duration`.
    public var stillDuration: MediaTime?
    /// The name of the program that HTTP servers receive; nil for `Playhead`.
    ///
    /// - Corresponds to: `AVURLAssetHTTPUserAgentKey`.
    public var httpUserAgent: String?
    /// Header fields of requests, by name, such as `Authorization`. Only the server that the asset
    /// names receives them: the same scheme, host and port.
    ///
    /// - Corresponds to: mpv's `http-header-fields`.
    public var httpHeaderFields: [String: String] = [:]
    /// Cookies, by name. Only the host that the asset names receives them, and, if the asset names
    /// it by HTTPS, only by HTTPS. Cookies that servers set are sent back to them while the asset
    /// is open, and then forgotten.
    ///
    /// - Corresponds to: `AVURLAssetHTTPCookiesKey`.
    public var httpCookies: [String: String] = [:]
    /// The address of a proxy for HTTP and HTTPS, such as `http://127.0.0.1:8888`; nil for none.
    /// Its scheme is `http`, `https`, `socks4`, `socks4a`, `socks5` or `socks5h`. Variables of the
    /// environment such as `http_proxy` are not used.
    ///
    /// The proxy finds the addresses of hosts. `rules` apply to the addresses that this machine
    /// finds for a host. If it finds none, the host counts as private.
    ///
    /// - Corresponds to: mpv's `http-proxy`.
    public var httpProxy: String?
    /// A handler that is called for every file and address that was opened or refused, for logs,
    /// tests and displays of loading times. It is called on the reading thread, and must not block.
    package var accessObserver: (@Sendable (AssetAccess) -> Void)?

    /// Creates options from the values of their properties.
    public init(
        rules: AssetAccessRules = AssetAccessRules(),
        variants: VariantPreference = VariantPreference(),
        openingTimeout: MediaTime = MediaTime(value: 8, timescale: 1),
        timeout: MediaTime = MediaTime(value: 10, timescale: 1),
        prefersPreciseDurationAndTiming: Bool = false,
        hardwareAcceleration: HardwareAcceleration = .none
    ) {
        self.rules = rules
        self.variants = variants
        self.openingTimeout = openingTimeout
        self.timeout = timeout
        self.prefersPreciseDurationAndTiming = prefersPreciseDurationAndTiming
        self.hardwareAcceleration = hardwareAcceleration
    }

    /// Creates options with the given limits and default values for the other properties.
    package init(limits: MediaLimits) {
        self.init()
        self.limits = limits
    }
}
