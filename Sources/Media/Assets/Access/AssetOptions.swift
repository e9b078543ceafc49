// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// How an asset is opened: what it may lead to, how much it may ask for, how long it may take.
///
///     var options = AssetOptions()
///     options.variants.peakBitRate = 2_000_000
///     let asset = URLAsset(url: url, options: options)
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: the `options` of `AVURLAsset(url:options:)`.
public struct AssetOptions: Sendable {
    /// What it may lead to.
    public var rules: AssetAccessRules
    /// What it may ask for.
    package var limits = MediaLimits()
    /// Which of the variants that an HLS playlist offers is played.
    public var variants: VariantPreference
    /// How long opening may take, with everything that it leads to.
    public var openingTimeout: MediaTime
    /// How long any one later call may block: reading a packet, seeking. While a live playlist
    /// waits for its next part, three times its target duration is added.
    public var timeout: MediaTime
    /// Whether a duration that the container only lets one estimate is measured instead, by reading
    /// the whole file once when it is opened. Live streams are not.
    ///
    /// - Corresponds to: `AVURLAssetPreferPreciseDurationAndTimingKey`.
    public var prefersPreciseDurationAndTiming: Bool
    /// Which hardware is asked to decode pictures. Where it is not there, or fails, the processor
    /// does, and `VideoDecoder.method` says why.
    public var hardwareAcceleration: HardwareAcceleration
    /// Whether it need not have pictures or sound, since it is opened for its subtitles.
    public var allowsSubtitlesOnly = false
    /// How long each picture lasts of a file of pictures, such as PNG; nil for a twenty-fifth of a
    /// second, as FFmpeg has it.
    ///
    /// - Corresponds to: mpv's `image-display-duration`.
    public var stillDuration: MediaTime?
    /// Told of every file and address that was opened or refused, on the thread that reads, which
    /// it must not hold up. For logs, tests, and showing where time goes.
    public var accessObserver: (@Sendable (AssetAccess) -> Void)?

    /// Creates options from the values of their properties.
    public init(
        rules: AssetAccessRules = AssetAccessRules(),
        variants: VariantPreference = VariantPreference(),
        openingTimeout: MediaTime = MediaTime(value: 8, timescale: 1),
        timeout: MediaTime = MediaTime(value: 10, timescale: 1),
        prefersPreciseDurationAndTiming: Bool = false,
        hardwareAcceleration: HardwareAcceleration = .none,
        accessObserver: (@Sendable (AssetAccess) -> Void)? = nil
    ) {
        self.rules = rules
        self.variants = variants
        self.openingTimeout = openingTimeout
        self.timeout = timeout
        self.prefersPreciseDurationAndTiming = prefersPreciseDurationAndTiming
        self.hardwareAcceleration = hardwareAcceleration
        self.accessObserver = accessObserver
    }

    /// Creates options that differ from the default ones in their limits.
    package init(limits: MediaLimits) {
        self.init()
        self.limits = limits
    }
}
