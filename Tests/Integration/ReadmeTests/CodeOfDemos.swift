// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

// The code of the demos' READMEs, sorted by the demos' names, so that it is compiled; a test
// compares both.

func filter(
    _ item: PlayerItem, _ parameters: AudioMixInputParameters, before: AudioProcessingTap,
    filter: AudioProcessingTap, after: AudioProcessingTap, meter: AudioProcessingTap
) {
    var parameters = parameters
    // document begins
    parameters.taps = [before, filter, after, meter]
    item.audioMix = AudioMix(inputParameters: [parameters])
    // document ends
}

func describe(_ asset: Asset, at time: MediaTime) async throws -> (AssetDescription, RGBAImage) {
    // document begins
    let description = try await asset.load(.description)
    let generator = ImageGenerator(asset: asset, options: .init(maximumSize: (264, 148)))
    let picture = try await generator.image(at: time).image
    // document ends
    return (description, picture)
}

/// Audio that the program generates.
protocol Band {
    func play(at time: MediaTime)
}

func play(_ player: Player, with band: some Band, on sink: any AudioSink) async {
    // document begins
    // The video runs on the audio device's clock.
    player.masterClock = sink.clock
    // Decodes everything that the start needs.
    _ = await player.preroll(atRate: 1)
    let start = HostClock.shared.time + sink.latency + MediaTime(value: 50, timescale: 1000)
    band.play(at: sink.clock.time(atHostTime: start))
    player.setRate(1, time: .zero, atHostTime: start)
    // document ends
}

/// A game's own drawing.
protocol Cube {
    associatedtype Pose
    func draw(faces: UInt32, pose: Pose, into target: RenderTarget)
}

func draw<Drawn: Cube>(
    _ films: VideoRenderer, faces: (scene: Scene, count: Int), cube: Drawn, pose: Drawn.Pose,
    hostTime: MediaTime, texture: GLFramebuffer, into target: RenderTarget
) {
    // document begins
    _ = films.render(
        faces.scene, hostTime: hostTime, into: RenderTarget(texture), redraw: .ifChanged)
    cube.draw(faces: texture.texture.name, pose: pose, into: target)
    // document ends
}

func playBackwards(
    _ player: Player, _ item: PlayerItem, from instant: MediaTime, vsync: MediaTime
) -> MediaTime {
    // document begins
    // Declares the pair.
    player.setRate(-1, time: item.duration, atHostTime: instant)
    // Evaluates the line at any host time.
    let time = item.timebase.time(atHostTime: vsync)
    // document ends
    return time
}

func play(
    _ films: [(player: Player, name: String)], from time: MediaTime, at instant: MediaTime
) async {
    // document begins
    for film in films { _ = await film.player.preroll(atRate: 1) }
    for film in films { film.player.setRate(1, time: time, atHostTime: instant) }
    // document ends
}
