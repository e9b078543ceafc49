// SPDX-License-Identifier: Apache-2.0

import Observation
import PlayheadUI

// The code of Documentation/Observing.md, so that it compiles; a test holds both equal.

func observeStates(of player: Player, _ item: PlayerItem) -> [ObservationToken] {
    // document begins
    let rate = player.observe(\.rate, options: [.initial, .old], on: .main) { change in
        print("rate \(change.newValue), before \(change.oldValue ?? 0)")
    }
    let size = item.observe(\.presentationSize) { change in print(change.newValue) }
    // document ends
    return [rate, size]
}

func followStatus(of item: PlayerItem) async {
    // document begins
    for await status in item.values(of: \.status) {
        if case .failed(let error) = status { print(error) }
    }
    // document ends
}

@MainActor func track(_ player: Player, update: @escaping @MainActor () -> Void) {
    // document begins
    withObservationTracking {
        print(player.timeControlStatus, player.volume)
    } onChange: {
        Task { @MainActor in update() }
    }
    // document ends
}

func observePlayhead(of player: Player) -> [ObservationToken] {
    // document begins
    let second = MediaTime(value: 1, timescale: 1)
    let clock = player.addPeriodicTimeObserver(forInterval: second, on: .main) { time in
        print(time.seconds)
    }
    let cue = player.addBoundaryTimeObserver(
        forTimes: [MediaTime(value: 10, timescale: 1)], on: .main
    ) {
        print("ten seconds")
    }
    // document ends
    return [clock, cue]
}

func observeWaiting(of player: Player, _ item: PlayerItem) -> [ObservationToken] {
    // document begins
    let waiting = player.observe(\.reasonForWaitingToPlay, options: .initial, on: .main) { change in
        print(change.newValue == .toMinimizeStalls ? "buffering" : "")
    }
    let loaded = item.observe(\.loadedTimeRanges) { change in
        print(change.newValue.last?.end.seconds ?? 0)
    }
    // document ends
    return [waiting, loaded]
}

func followEvents(of item: PlayerItem) async {
    // document begins
    for await event in item.events {
        switch event {
        case .didPlayToEndTime: print("the end")
        case .failedToPlayToEndTime(let error): print(error)
        case .timeJumped: print("elsewhere")
        case .playbackStalled: print("waiting for more")
        case .newErrorLogEntry(let error): print("played past: \(error)")
        }
    }
    // document ends
}
