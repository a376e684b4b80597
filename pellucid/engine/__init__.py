"""Engines that run a decoder's graph forward and backward."""
